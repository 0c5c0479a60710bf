import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** A repository brings a program `git`, in the folder that npx puts first into PATH. */

const hasGit = spawnSync('git', ['--version']).status === 0;
const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: {} }\n';

test.skipIf(!hasGit).each(['as it is', 'through a link'])('B11: is not asked who accepts drift, %s', async (way) => {
  const folder = project({ 'trueup.yaml': manifest });
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch '${join(folder, 'ran')}'\necho Mallory\n`);
  chmodSync(join(bin, 'git'), 0o755);
  execFileSync('git', ['init'], { cwd: folder, stdio: 'ignore' });
  execFileSync('git', ['config', 'user.name', 'Ada'], { cwd: folder });
  const link = join(project({}), 'link');
  symlinkSync(bin, link);
  const path = [way === 'as it is' ? bin : link, process.env['PATH']].join(delimiter);
  const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const args = ['drift', 'accept', 'production', '--until', until, '--because', 'a sale', '-C', folder];
  const run = await trueup(args, { env: { PATH: path } });
  expect(run.err).not.toContain('git has no user.name');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});
