import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';

const manifest = `trueup: 1
platform: emulator
project: prj_1
environments: { production: {} }
`;

/** Plans in a folder that has its own idea of the emulator's file. */
async function planWith(prepare: (file: string, folder: string) => void) {
  const folder = project(manifest);
  mkdirSync(join(folder, '.trueup'));
  prepare(join(folder, '.trueup', 'emulator.json'), folder);
  return trueup(['plan', '-C', folder]);
}

describe('S11: the emulator of a manifest reads a regular file of its own', () => {
  it('S11: refuses a link, and quotes nothing of its target', async () => {
    const { code, err } = await planWith((file) => {
      const elsewhere = join(project({}), 'secret');
      writeFileSync(elsewhere, 'canary-7f3a');
      symlinkSync(elsewhere, file);
    });
    expect(code).not.toBe(0);
    expect(err).toContain('it is not a regular file');
    expect(err).not.toContain('canary');
  });

  it('S11: refuses a link to a device', async () => {
    const { code, err } = await planWith((file) => symlinkSync('/dev/null', file));
    expect(code).not.toBe(0);
    expect(err).toContain('it is not a regular file');
  });

  it('S11: quotes nothing of a file that is not JSON', async () => {
    const { code, err } = await planWith((file) => writeFileSync(file, 'canary-7f3a'));
    expect(code).not.toBe(0);
    expect(err).toContain('not valid JSON');
    expect(err).not.toContain('canary');
  });
});
