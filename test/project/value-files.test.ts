import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { valuesFor } from '../../src/cli/completion-source.ts';
import { createProgram } from '../../src/cli/program.ts';
import { processOfTest } from '../support/process.ts';
import { program, project, trueup } from '../cli/process.ts';

/** `--var-file`, and the completion of `--var`. */

const files = {
  'staging.yaml': `trueup: 1
platform: emulator
project: prj_1
include: [shop.yaml]
variables: { tag: a }
`,
  'shop.yaml': `variables:
  tag: { description: The release. }
  level: { oneOf: [info, debug] }
  isLive: { type: boolean, default: true }
  hosts: { type: list, default: [] }
  API_TOKEN: { type: number, default: 1 }
`,
  'one.yaml': 'tag: 1.10\nhosts: [a, 007]\n',
  'two.yaml': 'tag: 2.20\n',
};

const valueOf = async (folder: string, name: string, args: readonly string[], env: Record<string, string> = {}) => {
  const { out, err } = await trueup(['eval', '-C', folder, '-f', 'staging.yaml', `\${var:${name}}`, ...args], { env });
  return out === '' ? err : (JSON.parse(out) as unknown);
};

describe('--var-file', () => {
  test('gives all of several root files the values of a pipe, which can be read once', async () => {
    const root =
      'trueup: 1\nplatform: emulator\nproject: prj_1\nvariables: { tag: {} }\noutputs: { tag: "${var:tag}" }\n';
    const folder = project({ 'a.yaml': `${root}environments: {}\n`, 'b.yaml': `${root}environments: {}\n` });
    const command = `"${process.execPath}" "${program()}" validate -f a.yaml -f b.yaml --var-file <(echo 'tag: b')`;
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder });
    expect(stdout).toMatch(/^a: .*; b: /m);
  });

  test('takes no file that a tool has encrypted', async () => {
    const folder = project({ ...files, 'x.yaml': 'level: info\ntag: ENC[AES256_GCM,data:Tr7o,iv:1]\nsops: {}\n' });
    const said = await valueOf(folder, 'tag', ['--var-file', join(folder, 'x.yaml')]);
    expect(said).toContain('line 2 is ciphertext of sops, and no value');
    expect(said).toMatch(/Write \{ sops: .*x\.yaml \} under secrets:\. Then write \$\{secret:NAME\}\./);
    expect(said).not.toContain('Tr7o');
  });

  test('gives values: after the root file, before TRUEUP_VAR_ and --var, and a later file before an earlier one', async () => {
    const folder = project(files);
    const [one, two] = ['one.yaml', 'two.yaml'].map((name) => ['--var-file', join(folder, name)]);
    expect(await valueOf(folder, 'tag', [])).toBe('a');
    expect(await valueOf(folder, 'tag', one ?? [])).toBe('1.10');
    expect(await valueOf(folder, 'tag', [...(one ?? []), ...(two ?? [])])).toBe('2.20');
    expect(await valueOf(folder, 'tag', one ?? [], { TRUEUP_VAR_tag: 'b' })).toBe('b');
    expect(await valueOf(folder, 'tag', [...(one ?? []), '--var', 'tag=c'], { TRUEUP_VAR_tag: 'b' })).toBe('c');
    expect(await valueOf(folder, 'hosts', one ?? [])).toEqual(['a', '007']);
  });

  test.each([
    ['tga: 1', 'values.yaml:1:1', 'declares a variable tga'],
    ['tag: { default: a }', 'values.yaml:1:6', 'the variable tag must be text, got a map'],
    ['hosts: [~]', 'values.yaml:1:8', 'the variable hosts must be a list of texts, got null in it'],
    ['level:\n  warn', 'values.yaml:2:3', 'the variable level must be info or debug, got "warn"'],
    ['- tag', 'values.yaml:1:1', 'values.yaml is not a map of names to values'],
    ['tag: "a', 'values.yaml:1:6', ''],
  ])('%j is refused with its place', async (text, place, message) => {
    const folder = project({ ...files, 'values.yaml': text });
    const { code, err } = await trueup([
      'validate',
      '-C',
      folder,
      '-f',
      'staging.yaml',
      '--var-file',
      join(folder, 'values.yaml'),
    ]);
    expect(code).toBe(3);
    expect(err).toContain(place);
    expect(err.replaceAll(/\n\s+/g, ' ')).toContain(message);
  });

  test('shows no value that may be secret', async () => {
    const folder = project({ ...files, 'values.yaml': 'API_TOKEN: hunter2-canary\n' });
    const args = ['validate', '-C', folder, '-f', 'staging.yaml', '--var-file', join(folder, 'values.yaml')];
    const { code, out, err } = await trueup(args);
    expect(code).toBe(3);
    expect(err).toContain('the variable API_TOKEN must be a number, got text');
    expect(out + err).not.toContain('canary');
  });

  test('shows no number in quotes that may be secret, in its remedy neither', async () => {
    const folder = project({ ...files, 'values.yaml': 'API_TOKEN: "48151623"\n' });
    const args = ['validate', '-C', folder, '-f', 'staging.yaml', '--var-file', join(folder, 'values.yaml')];
    const { out, err } = await trueup(args);
    expect(err).toContain('Write it without quotes.');
    expect(out + err).not.toContain('48151623');
  });

  test('takes no link that leads out of the folder of the manifest', async () => {
    const folder = project(files);
    const outside = join(mkdtempSync(join(tmpdir(), 'trueup-outside-')), 'values.yaml');
    writeFileSync(outside, 'canary of another folder\n');
    symlinkSync(outside, join(folder, 'values.yaml'));
    const args = ['validate', '-C', folder, '-f', 'staging.yaml', '--var-file', join(folder, 'values.yaml')];
    const { code, out, err } = await trueup(args);
    expect([code, err]).toEqual([1, expect.stringContaining('is a link that leads out of the folder of the manifest')]);
    expect(out + err).not.toContain('canary');
  });

  test('a file that is missing or no file is named', async () => {
    const folder = project(files);
    mkdirSync(join(folder, 'dir'));
    for (const [name, why] of [
      ['none.yaml', 'there is no such file'],
      ['dir', 'cannot be read (EISDIR: it is a folder)'],
    ] as const) {
      const path = join(folder, name);
      const { code, err } = await trueup(['validate', '-C', folder, '--var-file', path]);
      expect([code, err.replaceAll(/\n\s+/g, ' ')]).toEqual([1, expect.stringContaining(`--var-file ${path}: ${why}`)]);
    }
  });
});

test('the program completes names of variables, and values that they name', async () => {
  const folder = project(files);
  const here = processOfTest({ env: {}, cwd: folder });
  const program = await createProgram(here, () => {}, { isNamed: () => true });
  const found = await complete(program, ['plan', '-f', 'staging.yaml', '--var', ''], valuesFor(here));
  expect(found).toEqual([
    { value: 'tag=', about: 'The release.' },
    { value: 'level=', about: '' },
    { value: 'level=info', about: '' },
    { value: 'level=debug', about: '' },
    { value: 'isLive=', about: '' },
    { value: 'isLive=true', about: '' },
    { value: 'isLive=false', about: '' },
    { value: 'hosts=', about: '' },
    { value: 'API_TOKEN=', about: '' },
  ]);
  expect(await complete(program, ['plan', '--var-file', ''], valuesFor(here))).toBe('files');
});
