import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { readComposeYaml } from '../../src/formats/compose-yaml.ts';

/** What compose and the platform make of a text. */
const read = (text: string) => {
  const found = readComposeYaml(text);
  return 'content' in found ? { content: found.content, unmerged: found.unmerged } : 'unreadable';
};

describe('a compose file is read', () => {
  const texts = {
    'without anchors': 'services:\n  web: { image: nginx }\n',
    'with a merge key': 'x-a: &a { image: nginx, user: root }\nservices:\n  web: { <<: *a, user: web }\n',
    'with a quoted merge key, which is a key': 'x-a: &a { image: nginx }\nservices:\n  web: { "<<": *a }\n',
    'with a list of maps to merge': 'x-a: &a { a: 1 }\nx-b: &b { b: 2 }\nservices:\n  web:\n    <<: [*a, *b]\n',
    'with an alias of a service': 'services:\n  web: &web { image: nginx }\n  other: *web\n',
    'with an anchor in a list': 'services:\n  web:\n    labels:\n      - &l a=1\n      - *l\n',
    'with an anchor in an anchor':
      'x-a: &a { e: &e { b: 1 } }\nx-b: &b { <<: *a, c: *e }\nservices:\n  web: { <<: *b, d: *b }\n',
    'with lists over lines':
      'services:\n  web: &web\n    command:\n      [\n        "a",\n        b,\n      ]\n  other: *web\n',
    'with & and << in texts': 'services:\n  web:\n    command: "a && b 2>&1 << EOF"\n    user: a&b\n',
  };

  test.each(Object.entries(texts))('%s', (_, text) => {
    expect(read(text)).toEqual({ content: parse(text, { merge: true }), unmerged: parse(text) });
  });

  test('with two merge keys, as one that merges both', () => {
    const text = 'x-a: &a { a: 1 }\nx-b: &b { b: 2 }\nservices:\n  web:\n    <<: *a\n    <<: *b\n';
    expect(read(text)).toMatchObject({ content: parse(text, { merge: true }) });
  });

  test.each(['a: [', 'a: *b', 'a: 1\na: 2'])('not: %s', (text) => {
    expect(read(text)).toBe('unreadable');
  });

  test.each([50, 101, 200])('with %i aliases in each of as many, as far as the platform takes them', (many) => {
    const items = (name: string) => `[${`*${name}, `.repeat(many)}c]`;
    const text = `a: &a { b: &b [c], d: ${items('b')} }\ne: ${items('a')}\n`;
    expect(read(text) === 'unreadable').toBe(many > 100);
    const expanded = () => parse(text, { maxAliasCount: 10_000 }) as unknown;
    if (many > 100) expect(expanded).toThrow('Excessive alias count');
    else expect(read(text)).toMatchObject({ content: expanded() });
  });

  test('with the same object for what one alias is', () => {
    const found = readComposeYaml(texts['with an alias of a service']);
    const { services } = ('content' in found ? found.unmerged : {}) as { services: Record<string, unknown> };
    expect(services.other).toBe(services.web);
  });
});
