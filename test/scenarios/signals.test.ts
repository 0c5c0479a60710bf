import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { stack } from '../support/manifest-texts.ts';
import { finish, project, start, trueup } from '../cli/process.ts';

/** Whoever ends a run kills it soon after: CI in 10 s or less. By then it has saved its state and given back the lock. */

/** Milliseconds: a busy machine takes its time, and a request that hangs would take 30 s. */
const soon = 20_000;

const key = { TRUEUP_API_KEY: 'key-1' };
const text = (url: string) => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
${stack('domains: { shop.example.com: { serviceName: web, port: 80 } }, deploy: never')}`;

/** A platform that never answers one operation while it hangs, nor executes it. */
async function hanging(operation: string) {
  const emulator = createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY });
  const { send } = emulator;
  const state = { isHanging: true };
  let onHang: () => void = () => undefined;
  const hung = new Promise<void>((resolve) => {
    onHang = resolve;
  });
  emulator.send = async (request) => {
    if (!state.isHanging || !request.path.startsWith(`/api/${operation}`)) return send(request);
    onHang();
    return new Promise(() => undefined);
  };
  return { emulator, server: await serve(emulator), state, hung };
}

const isUnlocked = async (folder: string) =>
  (await trueup(['state', 'unlock', '-C', folder], { env: key })).err.includes('The state is not locked');

describe.concurrent('K12: a run that gets a signal while a request hangs', () => {
  it.each([['SIGTERM'], ['SIGHUP']] as const)(
    'ends within 5 s of %s, with the state saved, the lock given back and the unknown told',
    { timeout: 60_000 },
    async (signal) => {
      const { emulator, server, state, hung } = await hanging('domain.create');
      const folder = project(text(server.url));
      const apply = ['apply', '--auto-approve', '--adopt', '--in-flight-timeout', '1', '-C', folder];
      const child = start(apply, { env: key });
      const ended = finish(child);
      await hung;
      const from = performance.now();
      child.kill(signal);
      const stopped = await ended;
      expect(performance.now() - from).toBeLessThan(soon);
      expect(stopped.code).toBe(6);
      expect(stopped.err).toContain('stopping within 5 s');
      expect(stopped.out).toContain('the run was interrupted before the whole answer arrived (domain.create at');
      expect(stopped.out).toContain('Trueup does not know whether the platform executed it');
      expect(stopped.out).toContain('Interrupted');
      const saved = JSON.parse(readFileSync(join(folder, '.trueup/state.json'), 'utf8')) as {
        resources: Record<string, { pending?: { is: string } }>;
      };
      const domain = 'production.compose.shop.domains["shop.example.com"]';
      expect(saved.resources[domain]?.pending?.is).toBe('create');
      expect(await isUnlocked(folder)).toBe(true);
      state.isHanging = false;
      expect((await trueup(apply, { env: key })).code).toBe(0);
      expect(Object.keys(emulator.world.tables.domain)).toHaveLength(1);
      expect((await trueup(['plan', '--detailed-exitcode', '-C', folder], { env: key })).code).toBe(0);
      await server.close();
    },
  );

  it.each([['SIGINT'], ['SIGTERM'], ['SIGHUP']] as const)(
    'ends at once of %s while it only reads, and gives back the lock',
    { timeout: 60_000 },
    async (signal) => {
      const { server, hung } = await hanging('environment.byProjectId');
      const folder = project(text(server.url));
      const child = start(['apply', '--auto-approve', '-C', folder], { env: key });
      const ended = finish(child);
      await hung;
      const from = performance.now();
      child.kill(signal);
      expect((await ended).code).not.toBe(0);
      expect(performance.now() - from).toBeLessThan(soon);
      expect(await isUnlocked(folder)).toBe(true);
      await server.close();
    },
  );

  it('gives up at once when SIGTERM follows SIGINT', { timeout: 60_000 }, async () => {
    const { server, hung } = await hanging('domain.create');
    const folder = project(text(server.url));
    const child = start(['apply', '--auto-approve', '--adopt', '-C', folder], { env: key });
    const ended = finish(child);
    await hung;
    child.kill('SIGINT');
    await new Promise((resolve) => child.stderr.once('data', resolve));
    const from = performance.now();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(6);
    expect(performance.now() - from).toBeLessThan(soon);
    expect(await isUnlocked(folder)).toBe(true);
    await server.close();
  });
});
