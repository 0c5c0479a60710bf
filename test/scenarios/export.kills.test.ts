import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import { finish, start, trueup } from '../cli/process.ts';
import { effort } from '../support/whole.ts';

/** An export that is killed: what it leaves harms nobody, and the next one ends it. */

const apiKey = 'right-key-4711';
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const kills = effort({ fast: 6, all: 40 });
const limitMs = 60_000 + kills * 5_000;

test(
  `killed ${kills} times at any moment, it leaves whole files or none, and runs again to an empty plan`,
  async () => {
    const emulator = createEmulator({ apiKey });
    for (let at = 0; at < 20; at++) {
      const composeFile = `# ${'long '.repeat(200)}\nservices:\n  web:\n    image: nginx:1.${at}\n`;
      await emulator.act('compose.create', {
        name: `s${at}`,
        environmentId: 'env_prj_1',
        sourceType: 'raw',
        composeFile,
      });
    }
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const args = (folder: string) => [
      'export',
      '-C',
      folder,
      '--url',
      server.url,
      '--project',
      'prj_1',
      '--lock-timeout',
      '30',
    ];
    const whole = mkdtempSync(join(tmpdir(), 'trueup-export-whole-'));
    const began = performance.now();
    expect((await finish(start(args(whole), { env }))).code).toBe(0);
    const tookMs = performance.now() - began;
    for (let kill = 0; kill < kills; kill++) {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-export-killed-'));
      const child = start(args(folder), { env });
      // The files are written at the end.
      const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * (0.6 + (0.5 * kill) / kills));
      await finish(child);
      clearTimeout(timer);
      const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
      for (const path of left) {
        expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(whole, path), 'utf8'));
      }
      if (existsSync(join(folder, 'trueup.yaml'))) {
        const { include } = parse(readFileSync(join(folder, 'trueup.yaml'), 'utf8')) as { include: string[] };
        expect(include).toEqual(['environments/*.yaml', 'organization.yaml']);
        expect(left).toContain('environments/production.yaml');
      }
      const state = join(folder, '.trueup/state.json');
      if (!existsSync(state)) {
        const again = await trueup(args(folder), { env });
        expect([again.err, again.code]).toEqual(['', 0]);
      }
      const plan = await trueup(['plan', '-C', folder], { env });
      expect(plan.out).toContain('No changes.');
    }
    expect(emulator.log.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
  limitMs,
);
