import { describe, expect, test } from 'vitest';
import { resolveField } from '../../src/manifest/fields.ts';
import { told } from '../support/problems.ts';
import { anything, kindNamed, referring } from '../support/plan-values.ts';
import { head } from '../support/world.ts';

/** Values of fields, as far as they are known. */

const host = { address: 'production.redis.other', output: 'host' };

test('a text is read as a number or a boolean where the field is one', () => {
  const port = kindNamed('redis').fields['externalPort'] ?? anything;
  expect(resolveField(port, referring(host), () => '6379')).toEqual({ is: 'known', value: 6379 });
  const name = kindNamed('redis').fields['name'] ?? anything;
  expect(resolveField(name, referring(host), () => '6379')).toEqual({ is: 'known', value: '6379' });
});

describe('an expression that is known only after apply, in the place of', () => {
  const app = (fields: string, before = '') =>
    told(
      `${head}${before}environments: { production: { application: {
        web: { source: { type: docker, image: nginx } },
        api: { source: { type: docker, image: nginx }, ${fields} } } } }\n`,
    );
  const ref = '"${ref:application.web.appName}"';

  test.each([
    [
      'a list',
      `networkSwarm: §${ref}`,
      /^networkSwarm must be a list, got "\$\{ref:.*" .* Write for example networkSwarm: \[/,
    ],
    [
      'a map',
      `labelsSwarm: §${ref}`,
      /^labelsSwarm must be a map, got "\$\{ref:.*" .* Write for example labelsSwarm: \{/,
    ],
    [
      'a map with a secret',
      'labelsSwarm: §"${secret:LABELS}"',
      /^labelsSwarm must be a map, got text .* Write for example/,
    ],
    ['a map in a list', `networkSwarm: [§${ref}]`, /^networkSwarm\.0 must be a map, got "/],
    ['a list in a map', `endpointSpecSwarm: { Ports: §${ref} }`, /^endpointSpecSwarm\.Ports must be a list, got "/],
    ['a list of texts', `args: §${ref}`, /^args must be a list, got "/],
    ['a list of texts with a secret', 'args: §"${secret:ARGS}"', /^args must be a list, got text .* Write for example/],
  ])('%s is refused: it is a text', async (_what, fields, says) => {
    const { problems, said } = await app(fields);
    expect(problems).toEqual(['wrong-type at the mark']);
    expect(said).toMatch(says);
    expect(said).toContain('What an expression gives here is a text.');
  });

  test('a map of a list is refused for a variable too: it gives a list of texts', async () => {
    const { said } = await app('networkSwarm: §"${var:names}"', 'variables: { names: { type: list, default: [a] } }\n');
    expect(said).toContain(
      'networkSwarm.0 must be a map, got "a" What a variable gives here is a list of texts. Write',
    );
  });

  test.each([
    ['a text of a list', `args: [${ref}]`],
    ['a text of a map', `labelsSwarm: { team: ${ref} }`],
    ['a number', 'replicas: "${ref:application.web.appName}"'],
    ['a text', `networkSwarm: [{ Target: ${ref} }]`],
  ])('%s stays', async (_what, fields) => {
    expect((await app(fields)).problems).toEqual([]);
  });
});
