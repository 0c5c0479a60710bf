import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { manifestSchema } from '../../../src/manifest/json-schema.ts';
import { readManifest } from '../../../src/manifest/manifest.ts';
import type * as All from '../../../src/manifest/sources/all.ts';
import type { ExpressionSource } from '../../../src/manifest/sources/source.ts';
import { openWorkspace } from '../../../src/manifest/workspace.ts';
import { kinds } from '../../../src/resources/index.ts';
import { head } from '../../support/world.ts';

/** `${length:path}`: how many characters a file has; `${vault:key}`: a secret. */
vi.mock('../../../src/manifest/sources/all.ts', async (original) => {
  const { badExpression, nextBrace } = await import('../../../src/manifest/sources/source.ts');
  const { expressionSources } = await original<typeof All>();
  const length: ExpressionSource = {
    name: 'length',
    closing: nextBrace,
    files: (path) => [path],
    resolve: (path, values, at) => {
      const file = values.file(path, at);
      if ('problem' in file) return badExpression(file.problem, 'Name a file.');
      return { is: 'scalar', value: file.text.length, written: `${file.text.length}` };
    },
  };
  const vault: ExpressionSource = {
    name: 'vault',
    closing: nextBrace,
    conceals: 'secret',
    files: () => [],
    resolve: (key) => (key === 'none' ? { is: 'missing' } : { is: 'text', text: `value-of-${key}` }),
  };
  return { expressionSources: [...expressionSources, length, vault] };
});

let secrets: string[] = [];
beforeEach(() => {
  secrets = [];
});

/** Reads a manifest with one Redis whose fields are given. */
async function read(fields: string, more = '') {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-sources-'));
  const block = `redis: { main: { dockerImage: "redis:8", databasePassword: p1, ${fields} } }`;
  writeFileSync(join(folder, 'trueup.yaml'), `${head}${more}environments: { production: { ${block} } }\n`);
  writeFileSync(join(folder, 'abc'), 'abc');
  const nothing = () => undefined;
  const { manifest, diagnostics } = await readManifest({
    workspace: await openWorkspace(folder),
    file: 'trueup.yaml',
    kinds,
    env: nothing,
    secret: nothing,
    given: nothing,
    addSecret: (value) => secrets.push(value),
  });
  const main = manifest?.resources.find(({ address }) => address === 'production.redis.main');
  return { main, problems: diagnostics.map(({ code, message }) => `${code} ${message}`) };
}

describe('a source of expressions that the list has besides', () => {
  test('reads the file that its argument names, and gives a number to a field that takes one', async () => {
    const { main, problems } = await read('replicas: "${length:abc}", description: "${length:abc} characters"');
    expect(problems).toEqual([]);
    expect(main?.fields['replicas']?.content.reveal()).toEqual({ is: 'value', value: 3 });
    expect(main?.fields['description']?.content.reveal()).toEqual({ is: 'value', value: '3 characters' });
    expect(main?.fields['description']?.isSecret).toBe(false);
  });

  test('refuses an argument with its position', async () => {
    expect((await read('replicas: "${length:../abc}"')).problems).toEqual([
      'bad-expression ../abc is outside the workspace, the folder of trueup.yaml',
    ]);
  });

  test('adds the values of a secret source to the secrets of the run', async () => {
    const { main, problems } = await read('description: "a ${vault:key}"');
    expect(problems).toEqual([]);
    expect(main?.fields['description']).toMatchObject({ isSecret: true, missing: [] });
    expect(main?.fields['description']?.content.reveal()).toEqual({
      is: 'text',
      pieces: ['a ', { from: 'secret', name: 'key', hidden: 'value-of-key' }],
    });
    expect(secrets).toEqual(['value-of-key']);
  });

  test('may lack a secret', async () => {
    const { main, problems } = await read('description: "${vault:none}"');
    expect(problems).toEqual([]);
    expect(main?.fields['description']).toMatchObject({ isSecret: true, missing: ['none'] });
    expect(secrets).toEqual([]);
  });

  test('has to be closed, can be escaped, and is refused in settings', async () => {
    expect((await read('description: "${vault:key"')).problems).toEqual([
      'bad-expression ${vault:… is never closed with }',
    ]);
    const { main } = await read('description: "$${vault:key}"');
    expect(main?.fields['description']?.content.reveal()).toEqual({ is: 'value', value: '${vault:key}' });
    expect((await read('', 'include: ["${vault:key}"]\n')).problems).toEqual([
      'bad-expression include must not hold ${vault:…}: settings take no expressions',
    ]);
  });

  test('is allowed by the JSON Schema wherever an expression is', () => {
    expect(JSON.stringify(manifestSchema(kinds))).toContain('(env|var|file|secret|ref|length|vault):');
  });
});

test('a word that is no source is text', async () => {
  const { main, problems } = await read('description: "${other:key} $${other:key}"');
  expect(problems).toEqual([]);
  expect(main?.fields['description']?.content.reveal()).toEqual({ is: 'value', value: '${other:key} $${other:key}' });
});
