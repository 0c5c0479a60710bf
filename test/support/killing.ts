import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A module that ends the process with SIGKILL before its n-th change of a file of a folder whose path fits an expression. */
const killing = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
let left = Number(process.env.KILL_AT);
const paths = new RegExp(process.env.KILL_PATHS);
const isCounted = (path) =>
  typeof path === 'string' && path.startsWith(process.env.KILL_IN) && paths.test(path.slice(process.env.KILL_IN.length));
for (const name of ['mkdir', 'open', 'rename', 'link', 'rm']) {
  const own = fs[name];
  fs[name] = (path, how, ...rest) => {
    const isChange = name !== 'open' || how === 'wx' || how === 'w';
    if (isCounted(path) && isChange && left-- === 0) process.kill(process.pid, 'SIGKILL');
    return own(path, how, ...rest);
  };
}
syncBuiltinESMExports();
`;

let hook: string | undefined;

/** The environment in which a program is killed before its n-th change of such a file. `paths`: below the folder. */
export function killedBefore(change: number, folder: string, paths: RegExp): Record<string, string> {
  if (hook === undefined) {
    hook = join(mkdtempSync(join(tmpdir(), 'trueup-killing-')), 'hook.mjs');
    writeFileSync(hook, killing);
  }
  return { NODE_OPTIONS: `--import ${hook}`, KILL_AT: String(change), KILL_IN: folder, KILL_PATHS: paths.source };
}
