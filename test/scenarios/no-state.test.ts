import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { stack } from '../support/manifest-texts.ts';
import { project, trueup } from '../cli/process.ts';

/** Without a state Trueup knows no object: it says so, and leaves no state behind that would say so for ever. */

const key = { TRUEUP_API_KEY: 'key-1' };
const text = (url: string) =>
  `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\nenvironments:\n  production:\n${stack('deploy: never')}`;

/** A platform that has everything, and a folder that has lost its state. */
async function stateless() {
  const server = await serve(createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY }));
  const run = (folder: string, ...args: string[]) => trueup([...args, '-C', folder], { env: key });
  const first = project(text(server.url));
  expect((await run(first, 'apply', '--auto-approve', '--adopt')).code).toBe(0);
  const folder = project(text(server.url));
  return {
    run: (...args: string[]) => run(folder, ...args),
    hasState: () => existsSync(join(folder, '.trueup/state.json')),
    files: () => (existsSync(join(folder, '.trueup')) ? readdirSync(join(folder, '.trueup')) : []),
    close: () => server.close(),
  };
}

describe('R7: without a state', () => {
  it('destroy and plan --destroy say that they know no object, and write no state', async () => {
    const { run, hasState, close } = await stateless();
    for (const args of [
      ['plan', '--destroy'],
      ['destroy', '--auto-approve', '--allow-data-loss'],
    ]) {
      const { code, out } = await run(...args);
      expect(code).toBe(0);
      expect(out).toContain('There is no state: Trueup knows no object to delete.');
      expect(out).not.toContain('The platform is what the manifest says');
      expect(hasState()).toBe(false);
    }
    expect((await run('state', 'rebuild', '--yes')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await run('destroy', '--auto-approve', '--allow-data-loss')).code).toBe(0);
    const again = await run('plan', '--destroy');
    expect(again.out).toContain('The state holds no object to delete.');
    // An empty state is as good as none.
    expect((await run('state', 'rebuild', '--yes')).code).toBe(0);
    await close();
  });

  it('an apply that is refused for consent writes none, and the state can be rebuilt', async () => {
    const { run, hasState, close } = await stateless();
    expect((await run('apply', '--auto-approve')).code).not.toBe(0);
    expect(hasState()).toBe(false);
    expect((await run('state', 'rebuild', '--yes')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    await close();
  });
});
