import { Help } from 'commander';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { createProgram, nameOf } from '../../src/cli/program.ts';
import { trueup } from './process.ts';
import { processOfTest } from '../support/process.ts';

/** The structure of the command line, of which only the named commands are loaded. */

test('the table lists each command with the arguments and options that its file defines', async () => {
  const program = await createProgram(processOfTest({ cwd: '/' }), () => {}, { isNamed: () => true });
  const parts = program.commands.flatMap((part) => [part, ...part.commands]);
  const help = new Help();
  const defined = parts.map((part) => {
    const above = nameOf(part).slice(0, -part.name().length);
    return above + help.subcommandTerm(part);
  });
  expect(defined.filter((usage) => !usage.startsWith('complete '))).toEqual(commands.map(([usage]) => usage));
});

test('a command is loaded when the command line has its words', async () => {
  const args = ['-C', 'infra', 'drift', 'accept', '--help'];
  const program = await createProgram(processOfTest({ args, cwd: '/' }), () => {});
  const loaded = program.commands
    .flatMap((part) => [part, ...part.commands])
    .filter(({ options }) => options.length > 0);
  expect(loaded.map(nameOf)).toEqual(['drift', 'drift accept']);
});

test.each([[[]], [['-C', 'infra']], [['--format', 'json']]])(
  'without a command, %j: at most twelve lines',
  async (args) => {
    const { code, out, err } = await trueup(args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines[0]).toBe('Trueup keeps a deployment platform true to a git repository.');
    expect(lines.flatMap((line) => /^  trueup (\w+) /.exec(line)?.[1] ?? [])).toEqual([
      'init',
      'validate',
      'plan',
      'apply',
      'drift',
    ]);
    expect(err).toContain('trueup --help');
  },
);

test('the whole help stays where it was asked for, or where a command is not known', async () => {
  const whole = await trueup(['--help']);
  expect(whole.out).toMatch(/Commands:\n[^]*Environment:\n[^]*Exit codes:\n[^]*Examples:\n/);
  expect((await trueup(['help'])).out).toBe(whole.out);
  expect((await trueup(['help', 'nothing'])).err).toBe(whole.out);
});
