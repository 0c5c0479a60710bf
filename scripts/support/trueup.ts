import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const root = resolve(import.meta.dirname, '../..');

/** The command that starts Trueup: a file and its first words. */
export type Program = readonly [file: string, ...words: readonly string[]];

const ofCheckout: Program = [process.execPath, join(root, 'bin/trueup.js')];

/** What a command of Trueup printed, and how it ended. */
export interface Finished {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command of Trueup as users do: a process of its own, its output in a pipe. */
export async function trueup(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  [file, ...words]: Program = ofCheckout,
): Promise<Finished> {
  const started = performance.now();
  const child = spawn(file, [...words, ...args], {
    // The demo copies its manifest out of the repository, and CI allows only files that git tracks.
    env: { ...process.env, TRUEUP_PINNED: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, seconds: (performance.now() - started) / 1000 };
}

/** Serves the emulator from a process of its own. */
export async function emulate(
  args: readonly string[],
  [file, ...words]: Program = ofCheckout,
): Promise<{ url: string; apiKey: string; stop: () => Promise<void> }> {
  const child = spawn(file, [...words, 'emulate', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', value = ''] = line.split('=');
    told.set(name, value);
    if (told.has('TRUEUP_API_KEY')) break;
  }
  const url = told.get('TRUEUP_URL') ?? '';
  const apiKey = told.get('TRUEUP_API_KEY') ?? '';
  return {
    url,
    apiKey,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
