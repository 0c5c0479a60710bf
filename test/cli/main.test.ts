import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { processOfTest } from '../support/process.ts';
import { project, trueup, trueupProcess } from './process.ts';

/** The real process of a command line reads, prints and exits as the one that most tests make up. */

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: {} }\n';

test.each([
  ['--version', 0],
  ['plan --help', 0],
  ['', 1],
  ['plan --no-such-option=canary --format json', 1],
  ['plan --detailed-exitcode --out plan.trueup --format json', 2],
  ['validate -f none.yaml', 3],
  ['call compose.one composeId=@-', 1],
  ['complete -- import prod', 0],
])('trueup %s: the same in a process of its own', async (line, code) => {
  const args = line.split(' ').filter((word) => word !== '');
  const options = { cwd: project({ 'trueup.yaml': head }), input: 'none\n' };
  const own = await trueupProcess(args, options);
  expect(own).toEqual(await trueup(args, options));
  expect(own.code).toBe(code);
});

test('a current folder that is gone is an error of use, and no defect', async () => {
  const gone = project({ 'trueup.yaml': head });
  const process = Object.assign(processOfTest({ args: ['plan'], cwd: gone }), {
    cwd: () => {
      throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
    },
  });
  expect(await runCommandLine(process)).toBe(1);
  expect(process.printed.err).toContain('the current folder does not exist any more');
});
