import { resolve } from 'node:path';
import { kinds } from '../resources/index.ts';
import type { ProjectFolder } from '../project/folder.ts';
import { usage } from '../diagnostics/usage.ts';

export { usage };

/** What every command can be told. */
export interface GlobalOptions {
  readonly directory?: string;
  readonly file: string;
  readonly var?: readonly string[];
  readonly connections: string;
  readonly lockTimeout?: string;
  readonly allowSecretCommands?: true;
  readonly format: string;
  readonly color: boolean;
}

/** The common options, read. */
export interface Settled extends ProjectFolder {
  readonly connections: number;
  /** How long it is waited for another run to end. Milliseconds. */
  readonly lockTimeoutMs?: number;
}

/** Reads the common options; what cannot be followed stops the run. */
export function settleOptions(options: GlobalOptions): Settled {
  return {
    folder: resolve(options.directory ?? '.'),
    file: options.file,
    variables: new Map((options.var ?? []).map(readAssignment)),
    connections: readInteger('--connections', options.connections, 1, 64),
    lockTimeoutMs: 1_000 * readInteger('--lock-timeout', options.lockTimeout ?? '0', 0, 86_400),
    allowsSecretCommands: options.allowSecretCommands === true,
    env: process.env,
    kinds,
  };
}

/** Reads a whole number of an option. */
export function readInteger(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw usage(`${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

function readAssignment(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usage(`--var takes name=value, not ${JSON.stringify(text)}`);
}
