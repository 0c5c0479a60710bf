import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup, trueupProcess } from '../cli/process.ts';
import { killedBefore } from '../support/killing.ts';
import { stack } from '../support/manifest-texts.ts';
import { effort } from '../support/whole.ts';

/** A rebuild of a lost state that is killed: the remedy of the next command leads on, whatever it wrote before. */

const env = { TRUEUP_API_KEY: 'key-1' };

test.each(['state.json', 'state.json and key', 'everything but the lock'])(
  'killed before any of its changes of files, a rebuild without %s is followed by a run that plans nothing',
  async (lost) => {
    const emulator = createEmulator({ profile: 'standard', apiKey: env.TRUEUP_API_KEY });
    const server = await serve(emulator);
    onTestFinished(() => server.close());
    const applied = project(
      `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\nenvironments:\n  production:\n${stack('deploy: never')}`,
    );
    const run = (folder: string, ...args: string[]) => trueup([...args, '-C', folder], { env });
    // Several runs, so that the lock knows a version that a new state does not have.
    for (const args of [
      ['apply', '--auto-approve', '--adopt'],
      ['state', 'key', '--rotate', '--yes'],
    ])
      await run(applied, ...args);
    const files = { 'state.json': ['state.json'], 'state.json and key': ['state.json', 'key'] }[lost];
    for (const file of files ?? ['state.json', 'key', '.gitignore', 'documents'])
      rmSync(join(applied, '.trueup', file), { recursive: true, force: true });
    let moment = 0;
    for (; ; moment += effort({ fast: 4, full: 3, all: 1 })) {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-rebuild-killed-'));
      cpSync(applied, folder, { recursive: true });
      const killed = killedBefore(moment, folder, /\/\.trueup/);
      const { code } = await trueupProcess(['state', 'rebuild', '--yes', '-C', folder], { env: { ...env, ...killed } });
      const when = `killed before change ${moment}`;
      const isThere = existsSync(join(folder, '.trueup/state.json'));
      const planned = await run(folder, 'plan');
      if (isThere) expect([planned.code, planned.err], when).toEqual([0, '']);
      else {
        expect(planned.err, when).toContain('trueup state rebuild');
        const again = await run(folder, 'state', 'rebuild', '--yes', '--lock-timeout', '30');
        expect([again.code, again.err], when).toEqual([0, expect.stringContaining('The state has')]);
      }
      const done = await run(folder, 'apply', '--auto-approve', '--lock-timeout', '30');
      expect([done.code, done.err], when).toEqual([0, '']);
      expect((await run(folder, 'plan', '--detailed-exitcode')).code, when).toBe(0);
      rmSync(folder, { recursive: true });
      if (code !== null) break;
    }
    expect(moment).toBeGreaterThan(8);
  },
  300_000,
);
