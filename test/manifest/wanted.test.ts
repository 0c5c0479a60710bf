import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Concealed } from '../../src/manifest/wanted.ts';
import { linesOf } from '../../src/manifest/tree.ts';
import { changed, constant, knownValue, resolve, withHidden, withNames } from '../../src/manifest/wanted.ts';
import { secret } from '../../src/secrets/secret.ts';
import { declared, lacking, referring, secretPart, textOf } from '../support/plan-values.ts';

/** Values of a manifest, as far as they are known. */

const nothing = () => undefined;
const envPart = (name: string, hidden: string): Concealed => ({ from: 'env', name, hidden });

test('a value is known without outputs where it holds no reference, and no secret', () => {
  expect([declared('a'), declared(null), declared(0)].map(knownValue)).toEqual(['a', null, 0]);
  expect(knownValue(referring({ address: 'production.redis.main', output: 'host' }))).toBeUndefined();
  expect(knownValue(lacking('TOKEN'))).toBeUndefined();
  expect(knownValue(textOf('a ', secretPart('TOKEN', 'x')))).toBeUndefined();
  expect(knownValue(undefined)).toBeUndefined();
});

test('a plain value prints nowhere, is cloned nowhere, and keeps what it has when it is changed', () => {
  const at = { file: 'trueup.yaml', offset: 0, lines: linesOf('correct-horse') };
  const plain = constant('correct-horse', at);
  const all = { showHidden: true, getters: true, depth: 2, customInspect: false };
  const printed = [JSON.stringify(plain), JSON.stringify({ plain }), inspect(plain, all), inspect({ ...plain }, all)];
  for (const text of printed) expect(text.replaceAll('trueup.yaml', '')).not.toContain('correct-horse');
  expect(() => structuredClone(plain)).toThrow();
  const open = { isSecret: false, references: [], missing: [] };
  expect(changed(plain, {})).toMatchObject({ at, ...open });
  expect(changed(plain, { isSecret: true, isPrivate: true })).toMatchObject({
    at,
    ...open,
    isSecret: true,
    isPrivate: true,
  });
  expect([plain, changed(plain, { written: '08' })].map(knownValue)).toEqual(['correct-horse', 'correct-horse']);
});

describe('a text with concealed parts', () => {
  const url = textOf('https://', envPart('HOST', 'a.example'), '/', secretPart('TOKEN', 'x1'));

  test('is joined for the platform, and shows without them', () => {
    expect(resolve(url, nothing)).toEqual({ is: 'known', value: 'https://a.example/x1' });
    expect(withHidden(url, nothing, (text) => '*'.repeat(text.length))).toBe('https://*********/**');
    expect(withHidden({ ...url, isPrivate: true }, nothing, (text) => text)).toBeUndefined();
    expect(knownValue(textOf('https://', envPart('HOST', 'a.example')))).toBe('https://a.example');
  });

  test('is read as its field takes it', () => {
    const port = textOf(envPart('PORT', '8080'));
    expect(resolve(port, nothing, Number)).toEqual({ is: 'known', value: 8080 });
    const read = { ...port, reading: secret(8080) };
    expect([resolve(read, nothing).is === 'known', knownValue(read)]).toEqual([true, 8080]);
    expect(withHidden(read, nothing, () => '*')).toBe('*');
  });

  test('names an object, which then does not show', () => {
    const list = {
      ...declared(null),
      isSecret: true,
      content: secret({
        is: 'list',
        items: [
          { is: 'text', pieces: [envPart('A', 'main')] },
          { is: 'value', value: 'b' },
        ],
      } as const),
    };
    const bound = withNames(list, (name) => (name === 'main' ? 'id-1' : undefined));
    expect(resolve(bound, nothing)).toEqual({ is: 'known', value: ['id-1', 'b'] });
    expect(withHidden(bound, nothing, (text) => text)).toBeUndefined();
    expect(withNames(lacking('A'), () => 'id-1')).toEqual(lacking('A'));
  });
});
