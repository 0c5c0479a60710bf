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

test('each option that takes a value keeps all of them, or refuses a second one', async () => {
  const program = await createProgram(processOfTest({ cwd: '/' }), () => {}, { isNamed: () => true });
  const parts = [program, ...program.commands.flatMap((part) => [part, ...part.commands])];
  const taking = parts.flatMap(({ options }) => options.filter((one) => one.required || one.optional));
  const lost = taking.flatMap(({ long, parseArg }) => {
    try {
      const first = parseArg?.('dep_1', undefined);
      const both: unknown = parseArg?.('dep_2', first);
      return Array.isArray(both) && both.length === 2 ? [] : [long];
    } catch (error) {
      return String(error).includes(`${long} is given twice`) ? [] : [long];
    }
  });
  expect(lost).toEqual([]);
  expect(taking.length).toBeGreaterThan(50);
});

test.each([
  [['--format', 'text', 'plan', '--format', 'json'], 1, '--format is given twice, with different values'],
  [['drift', 'accept', 'a', '--until', '1', '--until=2'], 1, '--until is given twice, with different values'],
  [['--help', '--format', 'text', '--format', 'text'], 0, ''],
])('two values: %j', async (args, code, message) => {
  const ran = await trueup(args);
  expect(ran.code).toBe(code);
  expect(ran.err + (code === 0 ? '' : ran.out)).toContain(message);
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
