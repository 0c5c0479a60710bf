import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { program, project } from './process.ts';

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: {} }\n';

/** Runs the program with its stdout on a device that is always full, or into a reader that goes away. */
async function runInto(device: string | undefined, args: readonly string[]): Promise<{ code: unknown; err: string }> {
  const out = device === undefined ? undefined : openSync(device, 'w');
  const child = spawn(process.execPath, [program(), ...args], {
    cwd: project({ 'trueup.yaml': head }),
    stdio: ['ignore', out ?? 'pipe', 'pipe'],
  });
  if (out === undefined) child.stdout?.destroy();
  else closeSync(out);
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, err };
}

describe.skipIf(!existsSync('/dev/full'))('a stdout that is full', () => {
  it.each([[['validate']], [['schema']], [['call', '--list']]])('is reported, and %s has failed', async (args) => {
    const run = await runInto('/dev/full', args);
    expect(run.code).toBe(1);
    expect(run.err).toContain('stdout cannot be written (ENOSPC: the disk is full)');
    expect(run.err.match(/stdout cannot be written/g)).toHaveLength(1);
  });
});

describe('a reader that goes away', () => {
  it('is no error', async () => {
    expect(await runInto(undefined, ['schema'])).toEqual({ code: 0, err: '' });
  });
});
