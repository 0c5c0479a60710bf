import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { anyDocument } from '../../src/render/document-schemas.ts';
import { processOfTest } from '../support/process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The result of a command line. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in the process of the test. Of the environment it gets only what is given. */
export async function trueup(
  args: readonly string[],
  { env = {}, cwd = root, input = '' }: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<Finished> {
  const process = processOfTest({ args, env: { ...path(), ...env }, cwd, input });
  const code = await runCommandLine(process);
  return { code, ...process.printed };
}

/** The variable that finds other programs. */
function path(): Record<string, string> {
  return { PATH: process.env.PATH ?? '' };
}

/** Runs the real program to its end. Of the environment it gets only what is given. */
export function trueupProcess(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<Finished> {
  return finish(start(args, options));
}

/** Starts the real program; its input is empty unless given. */
export function start(
  args: readonly string[],
  { env = {}, cwd = root, input = '' }: { env?: Record<string, string>; cwd?: string; input?: string } = {},
) {
  const child = spawn(process.execPath, [program(), ...args], { cwd, env: { ...path(), ...env } });
  // It may end without reading.
  child.stdin.on('error', () => {}).end(input);
  return child;
}

/** The file of the real program, for whoever starts it in another way. */
export function program(): string {
  return inject('program');
}

/** Waits for the end of a program. */
export function finish(child: ReturnType<typeof start>): Promise<Finished> {
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Writes a manifest, and more files, into a new folder. */
export function project(files: string | Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-cli-'));
  for (const [name, text] of Object.entries(typeof files === 'string' ? { 'trueup.yaml': files } : files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The one JSON document of a run, checked against its published form. */
export function documentOf({ out }: Finished) {
  return anyDocument.parse(JSON.parse(out));
}

/** The JSON documents of an apply or a destroy, one per line, each checked against its published form. */
export function documentsOf({ out }: Finished) {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => anyDocument.parse(JSON.parse(line)));
}
