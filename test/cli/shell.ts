import { execFileSync, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { finish } from './process.ts';

/** Whether a shell or another program is missing. Every CI installs them, so there a missing one fails its tests. */
export function lacks(name: string): boolean {
  if ((process.env.CI ?? '') !== '') return false;
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', name]);
    return false;
  } catch {
    return true;
  }
}

/** Runs a script of a shell to its end, and gives what it prints; of the environment it gets only what is given. */
export async function inShell(
  shell: string,
  args: readonly string[],
  script: string,
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<string> {
  const path = [env['PATH'], process.env.PATH].filter((part) => part !== undefined).join(':');
  const child = spawn(shell, [...args, script], { cwd, env: { ...env, PATH: path, TERM: 'dumb' }, timeout: 100_000 });
  const { out, err } = await finish(child);
  expect(err).toBe('');
  return out;
}

/** A text in the quotes of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
