import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './trueup.ts';

/** Packs the package and installs it into an empty folder, as users do. Gives the folder, and the path of its program. */
export function installPackage(): { readonly folder: string; readonly program: string } {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-installed-'));
  const npm = (at: string, ...words: readonly string[]) =>
    execFileSync('npm', [...words, '--loglevel=error'], { cwd: at, encoding: 'utf8' });
  const [packed] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', folder)) as [{ filename: string }];
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  npm(folder, 'install', '--no-audit', '--no-fund', join(folder, packed.filename));
  return { folder, program: join(folder, 'node_modules/trueup/bin/trueup.js') };
}
