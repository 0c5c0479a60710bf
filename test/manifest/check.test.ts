import { describe, expect, test } from 'vitest';
import { told } from '../support/problems.ts';
import { head } from '../support/world.ts';

/** A manifest with a compose stack, whose compose file is written in some way. */
const withFile = (written: string): string =>
  `${head}environments:\n  production:\n    compose:\n      shop:\n        source:\n          type: raw\n          composeFile: ${written}\n`;
const reason = 'source.composeFile: the compose file is not valid YAML';

describe('a compose file that is not valid YAML is reported in one sentence, with a remedy', () => {
  test('at its place in the file that the manifest names', async () => {
    const found = await told({
      'trueup.yaml': withFile('${file:stacks/shop.yml}'),
      'stacks/shop.yml': 'services:\n  web: §{ image: nginx\n',
    });
    expect(found.problems).toEqual(['inconsistent at the mark']);
    expect(found.said).toBe(
      `${reason}: this { is never closed Close it with }. What stands in brackets must be indented more than their key.`,
    );
  });

  test('at its place in the manifest, below a |', async () => {
    const lines = ['|', 'services:', '  web:', '    image: nginx', '§   ports: []'];
    const found = await told(withFile(lines.join('\n            ')));
    expect(found.problems).toEqual(['inconsistent at the mark']);
    expect(found.said).toContain(`${reason}: this line begins in column 4`);
  });

  test('by its line and column, where the text stands in quotes', async () => {
    const found = await told(withFile(String.raw`§"services:\n  web: ["`));
    expect(found.problems).toEqual(['inconsistent at the mark']);
    expect(found.said).toContain(`${reason}, line 2, column 8 of it: this [ is never closed`);
  });
});

test('what an expression does not give has one mistake: no check looks into its value', async () => {
  const found = await told({
    'trueup.yaml': `${withFile('§${file:nowhere.yml}')}        domains: { a.example.com: { serviceName: web, port: '\${var:port}' } }\nvariables: { port: }\n`,
  });
  expect(found.problems).toEqual(['file-unreadable at the mark', expect.stringContaining('bad-expression')]);
});
