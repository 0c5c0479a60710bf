import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inShell, quote } from '../cli/shell.ts';
import { program, project } from '../cli/process.ts';

it.each(['000', '022', '077'])('S5: .trueup is of this user alone under umask %s', async (umask) => {
  const folder = project('trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { staging: {} }\n');
  const words = [process.execPath, program(), 'apply', '--auto-approve', '-C', folder].map(quote).join(' ');
  await inShell('sh', ['-c'], `umask ${umask}; ${words} >/dev/null 2>&1`, { env: {}, cwd: folder });
  const names = [
    '.trueup',
    ...readdirSync(join(folder, '.trueup'), { recursive: true, encoding: 'utf8' }).map((name) => `.trueup/${name}`),
  ];
  expect(names).toContain('.trueup/state.json');
  for (const name of names) {
    const entry = lstatSync(join(folder, name));
    expect(`${name} ${(entry.mode & 0o777).toString(8)}`).toBe(`${name} ${entry.isDirectory() ? '700' : '600'}`);
  }
});
