import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifyManifest } from '../../src/ci/planned-manifest.ts';
import { readOptions } from '../../src/ci/ci-options.ts';
import { project } from '../cli/process.ts';

/** The name of a plan, of a folder with these files. */
async function contentOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = project({ 'trueup.yaml': 'trueup: 1\n', ...files });
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', ['-C', folder, ...words]);
  return (await identifyManifest(folder, readOptions(['plan']))).content;
}

test.each(['drift.yaml', 'drift.staging.yaml', 'sub/drift.yaml', 'drift..yaml', 'drift.a\nb.yaml'])(
  'a plan is not named by a memory: %s',
  async (name) => {
    expect(await contentOf({ [name]: 'trueup-drift: 1\n' })).toBe(await contentOf({}));
  },
);

test.each(['accepted.yaml', 'drift.d/services.yaml', 'drifting.yaml', 'sub/a.yaml', 'drift.x.yml', 'driftyaml'])(
  'a plan is named by every other file: %s',
  async (name) => {
    const [none, first, second] = [
      await contentOf({}),
      await contentOf({ [name]: '1' }),
      await contentOf({ [name]: '2' }),
    ];
    expect(new Set([none, first, second]).size).toBe(3);
  },
);

test('a manifest in a folder is the same one, whether -C or -f names the folder', async () => {
  const cwd = project({ 'infra/a.yaml': 'trueup: 1\n', 'infra/sub/b.yaml': '', 'c.yaml': '' });
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', ['-C', cwd, ...words]);
  const by = (...words: string[]) => identifyManifest(cwd, readOptions(['plan', ...words]));
  const manifest = await by('-C', 'infra', '-f', 'a.yaml');
  expect(manifest).toMatchObject({ prefix: 'infra/', path: 'infra/a.yaml' });
  for (const words of [
    ['-f', 'infra/a.yaml'],
    ['-f', './infra/a.yaml'],
    ['-f', join(cwd, 'infra/a.yaml')],
    ['-C', 'infra/sub', '-f', '../a.yaml'],
  ])
    expect(await by(...words)).toEqual(manifest);
});
