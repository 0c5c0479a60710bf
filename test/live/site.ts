import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { processOfTest } from '../support/process.ts';
import type { Gate } from './gate.ts';
import type { Direct } from './platform.ts';

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Where the checks work: one project of the platform, and folders on this machine. */
export interface Site {
  readonly gate: Gate;
  readonly direct: Direct;
  readonly projectId: string;
  /** The project was made for this run, so its default environment is ours too. */
  readonly isOwnProject: boolean;
  /** The mark of this run. */
  readonly mark: string;
  /** A destination of this run, where the key may make one. */
  readonly destinationId: string | undefined;
  /** Whether services are deployed for real. */
  readonly deploys: boolean;
  /** Makes a folder with files. */
  folder(files: Readonly<Record<string, string>>): string;
  /** Writes files into a folder. */
  write(folder: string, files: Readonly<Record<string, string>>): void;
  /** Runs the program in a folder. Rejects with `Interrupted` once the run is to end. */
  trueup(folder: string, ...words: readonly string[]): Promise<Ended>;
  /** Ends the command that runs, as Ctrl-C does; no further one starts. */
  interrupt(): void;
}

/** The run is to end: nothing else is begun. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Secrets of the examples: made up, and good for nothing. */
const secrets = {
  SHOP_DB_PASSWORD: 'correct-horse-1',
  CACHE_PASSWORD: 'correct-horse-1',
  DEPLOY_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
  SHOP_CERTIFICATE: '-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----\n',
  SHOP_CERTIFICATE_KEY: '-----BEGIN PRIVATE KEY-----\nb25l\n-----END PRIVATE KEY-----\n',
};

/** The value of a secret that an example names: the tests know no name in advance. */
const secretFor = (name: string): string =>
  new Map<string, string>(Object.entries(secrets)).get(name) ??
  (name.endsWith('WEBHOOK') ? 'https://hooks.invalid/correct-horse-1' : 'correct-horse-1');

/** Makes a site below a folder that the caller removes. */
export function siteIn(
  parent: string,
  about: Pick<Site, 'gate' | 'direct' | 'projectId' | 'isOwnProject' | 'mark' | 'destinationId' | 'deploys'> & {
    readonly key: string;
  },
): Site {
  let running: ReturnType<typeof processOfTest> | undefined;
  let isEnding = false;
  const write: Site['write'] = (folder, files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  const { key, ...rest } = about;
  return {
    ...rest,
    write,
    folder: (files) => {
      const folder = mkdtempSync(join(parent, 'check-'));
      write(folder, files);
      return folder;
    },
    trueup: async (folder, ...words) => {
      if (isEnding) throw new Interrupted();
      const named = new Set([...Object.keys(secrets), ...secretNames]);
      const env = {
        ...Object.fromEntries([...named].map((name) => [`TRUEUP_SECRET_${name}`, secretFor(name)])),
        TRUEUP_API_KEY: key,
        TRUEUP_URL: about.gate.url,
        NO_COLOR: '1',
        HOME: parent,
      };
      running = processOfTest({ args: ['-C', folder, ...words], env, cwd: folder });
      const code = await runCommandLine(running);
      const { out, err } = running.printed;
      running = undefined;
      if (isEnding) throw new Interrupted();
      return { code, out, err };
    },
    interrupt: () => {
      isEnding = true;
      running?.emit('SIGINT');
    },
  };
}

/** The names of secrets in examples. */
const secretNames = new Set<string>();

/** Notes the secrets that a text of an example names, so that they have a value. */
export function noteSecrets(text: string): string {
  for (const [, name] of text.matchAll(/\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}/g))
    if (name !== undefined) secretNames.add(name);
  return text;
}
