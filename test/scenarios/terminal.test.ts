import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { finish, program, project, start } from '../cli/process.ts';
import { quote } from '../cli/shell.ts';
import { createScreen } from '../support/screen.ts';

/** The real program on a real terminal: the bytes that it writes are obeyed by a terminal without a window. */

const env = { TRUEUP_API_KEY: 'key-1', TERM: 'xterm' };

const services = (count: number) => Array.from({ length: count }, (_none, at) => `s${String(at).padStart(2, '0')}`);

const manifest = (url: string, count: number): string => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    compose:
${services(count)
  .map((name) => `      ${name}: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }\n`)
  .join('')}`;

/** A platform whose deployments take their time, and a folder with a manifest of so many services. */
async function place(count: number, deployDelayMs: number) {
  const server = await serve(createEmulator({ profile: 'standard', apiKey: env.TRUEUP_API_KEY, deployDelayMs }));
  return { server, folder: project(manifest(server.url, count)) };
}

/** Runs the program on a pseudo-terminal of some size. `at` is called with all that it has written, each time it writes. */
async function onTerminal(
  args: readonly string[],
  {
    columns,
    rows,
    at,
    env: more = {},
  }: {
    columns: number;
    rows: number;
    env?: Record<string, string>;
    at?: (written: string, press: (key: string) => void) => void;
  },
) {
  const command = [process.execPath, program(), ...args].map(quote).join(' ');
  const child = spawn('script', ['-qfec', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', ...env, ...more },
  });
  const screen = createScreen(columns, rows);
  let written = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    screen.write(text);
    at?.(written, (key) => child.stdin.write(key));
  });
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  return { code, written, screen };
}

const ctrlC = '\u0003';

const hasTerminals = (() => {
  try {
    execFileSync('script', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

describe('the real program', () => {
  it('U9: writes nothing to stderr but its own lines, while it waits for 30 deployments', async () => {
    const { server, folder } = await place(30, 200);
    // So that Trueup itself keeps no warning of Node's from being seen.
    const debugging = { ...env, TRUEUP_DEBUG: '1' };
    const done = await finish(start(['apply', '--auto-approve', '--adopt', '-C', folder], { env: debugging }));
    expect(done.code).toBe(0);
    const own = /^(production(\.compose\.s\d\d)?: (creating|created|adopting|adopted|deploying|deployed)\b.*)?$/;
    expect(done.err.split('\n').filter((line) => !own.test(line))).toEqual([]);
    expect((await finish(start(['plan', '--detailed-exitcode', '-C', folder], { env }))).code).toBe(0);
    await server.close();
  });
});

describe.runIf(hasTerminals)('the real program on a terminal', () => {
  it('U10: leaves a line for each action above the result, in a terminal with fewer rows than actions', async () => {
    const { server, folder } = await place(30, 100);
    const args = ['apply', '--auto-approve', '--adopt', '-C', folder];
    const { code, screen, written } = await onTerminal(args, { columns: 70, rows: 14 });
    expect(code).toBe(0);
    expect(written).toContain(' to come');
    const all = await screen.all();
    const after = all.slice(all.findIndex((line) => line.startsWith('Plan: ')));
    for (const name of services(30)) {
      for (const word of ['created', 'deployed']) {
        const line = new RegExp(`^production\\.compose\\.${name}: ${word} in \\d+\\.\\ds$`);
        expect(
          after.filter((one) => line.test(one)),
          name,
        ).toHaveLength(1);
      }
    }
    expect(after.filter((line) => / of \d+ done/.test(line))).toHaveLength(1);
    const open = /creating|deploying|waits for|waiting|to come|running/;
    expect(after.filter((line) => open.test(line) && !line.startsWith('    ->'))).toEqual([]);
    expect(after.slice(-2)).toEqual([
      expect.stringMatching(/^Applied: 30 created, 1 adopted, 30 deployed\.$/),
      expect.stringMatching(/^\d+ reads, \d+ writes$/),
    ]);
    await server.close();
  });

  it('init asks, hides the key, asks again after a wrong answer, and leaves a manifest that plans nothing', async () => {
    const { server, folder } = await place(0, 0);
    rmSync(join(folder, 'trueup.yaml'));
    const dialogue = [
      [/Address of the platform: $/, 'nowhere'],
      [/Address of the platform: $/, server.url],
      [/API key .*: $/, env.TRUEUP_API_KEY],
      [/Id of the project .*: $/, 'prj_1'],
      [/manifest now\? \(yes\/no\) $/, 'yes'],
    ] as const;
    let [turn, read] = [0, 0];
    const { code, written } = await onTerminal(['init', '-C', folder], {
      columns: 100,
      rows: 30,
      env: { TRUEUP_API_KEY: '' },
      at: (all, press) => {
        const [question, answer] = dialogue[turn] ?? [];
        if (question?.test(all.slice(read)) !== true) return;
        [turn, read] = [turn + 1, all.length];
        press(`${answer}\r`);
      },
    });
    expect([code, turn]).toEqual([0, dialogue.length]);
    expect(written).toContain('"nowhere" is no address of a platform');
    // Nothing of the key shows.
    expect(written).toMatch(/API key [^\n]*: \r?\n/);
    expect((await finish(start(['plan', '--detailed-exitcode', '-C', folder], { env }))).code).toBe(0);
    await server.close();
  });

  it.each([
    ['once', 6, /^Interrupted: /, /^Not started, because the run was interrupted: /],
    ['twice', 130, /^Ended at once after \d+s: /, /^Outcome unknown: /],
  ])('Ctrl-C %s: a summary of what is done and open, and the exit code', async (times, exitCode, first, open) => {
    const { server, folder } = await place(30, 60_000);
    const pressed: string[] = [];
    const { code, screen } = await onTerminal(['apply', '--auto-approve', '--adopt', '-C', folder], {
      columns: 100,
      rows: 20,
      at: (written, press) => {
        const isTime = [/deploying/, /interrupt again/][pressed.length]?.test(written);
        if (isTime !== true || pressed.length >= (times === 'twice' ? 2 : 1)) return;
        pressed.push(times);
        press(ctrlC);
      },
    });
    expect(code).toBe(exitCode);
    const all = await screen.all();
    const from = all.findLastIndex((line) => first.test(line));
    expect(from).toBeGreaterThan(0);
    const summary = all.slice(from);
    expect(summary.length).toBeLessThan(12);
    expect(summary.some((line) => open.test(line))).toBe(true);
    expect(summary).toContain(`Exit code ${exitCode}.`);
    expect(summary.join(' ')).toMatch(/next run .*|run trueup apply again/i);
    expect(all.slice(from).some((line) => line.includes('^C'))).toBe(false);
    await server.close();
  });
});
