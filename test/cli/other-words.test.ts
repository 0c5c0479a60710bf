import { expect, test } from 'vitest';
import { commands, nameIn } from '../../src/cli/commands/index.ts';
import { otherWords } from '../../src/cli/other-words.ts';
import { createProgram, nameOf } from '../../src/cli/program.ts';
import { kinds } from '../../src/resources/index.ts';
import { processOfTest } from '../support/process.ts';
import { trueup } from './process.ts';

/** Words of other command lines are answered with what Trueup has. */

const program = await createProgram(processOfTest({ cwd: '/' }), () => {}, { isNamed: () => true });
const parts = program.commands.flatMap((part) => [part, ...part.commands]);
const names = commands.map(([usage]) => nameIn(usage));
const services = kinds.flatMap((kind) => Object.keys(kind.commands ?? {}));
const answers = Object.entries(otherWords);

/** The part of the command line that words name, and the words behind it. */
function named(words: readonly string[]) {
  const [part] = parts
    .filter((one) =>
      nameOf(one)
        .split(' ')
        .every((word, at) => word === words[at]),
    )
    .toSorted((a, b) => nameOf(b).length - nameOf(a).length);
  return { part, rest: part === undefined ? words : words.slice(nameOf(part).split(' ').length) };
}

const lines = answers.filter(([, meant]) => meant.startsWith('trueup '));

test.each(lines)('%s: %s is a command line of Trueup', (_word, meant) => {
  const all = meant.split(' ').slice(1);
  const first = all.findIndex((word) => names.includes(word));
  if (first === -1) {
    expect(all).toEqual(['--version']);
    return;
  }
  const { part, rest } = named(all.slice(first));
  expect(part?.commands.filter((one) => one.name() !== 'help' && nameOf(part) === 'state')).toEqual([]);
  const options = [...program.options, ...(part?.options ?? [])];
  const given = [...all.slice(0, first), ...rest];
  const operands: string[] = [];
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? '';
    if (!word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const option = options.find(({ short, long }) => word === short || word === long);
    expect(option, word).toBeDefined();
    if (option?.required === true) at++;
  }
  const taken = part?.registeredArguments ?? [];
  expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
  expect(operands.length).toBeLessThanOrEqual(taken.some(({ variadic }) => variadic) ? 9 : taken.length);
  if (part?.name() === 'run') expect(services).toContain(operands[0]);
});

test('no word of Trueup is taken for one of another command line', () => {
  const words = answers.map(([word]) => word);
  expect(
    words.filter((word) => names.includes(word) || (word.startsWith('run ') && services.includes(word.slice(4)))),
  ).toEqual([]);
  const options = [...program.options, ...parts.flatMap((part) => part.options)];
  const own = new Set(options.flatMap(({ short, long }) => [short, long]));
  // Some commands have these, others do not.
  expect(words.filter((word) => own.has(word)).toSorted()).toEqual(['--diff', '--dry-run', '--force']);
});

test.each(answers.filter(([word]) => !/(^| )-/.test(word)))('trueup %s: its error names %s', async (word, meant) => {
  const { code, out, err } = await trueup([...word.split(' '), ...(word.startsWith('run ') ? ['production'] : [])]);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err.replaceAll(/\n\s+/g, ' ')).toContain(
    `-> Did you mean ${meant}${meant === 'trueup --version' ? '?' : ' ('}`,
  );
  expect(err).not.toMatch(/\(Did you mean/);
});

test.each([
  ['plan -out=x', '--out'],
  ['plan -target=a', '--target'],
  ['plan -var a=b', '--var'],
  ['plan -var-file=x', '--var-file'],
  ['plan --json', '--format json'],
  ['apply -auto-approve', '--auto-approve'],
  ['apply -y', '--yes'],
  ['apply -refresh=false', 'trueup validate (check the manifest; sends nothing)'],
  ['apply --dry-run', 'trueup plan (show the differences between manifest and platform; changes nothing)'],
  ['-chdir=infra plan', '-C DIR'],
  ['-v', '--version'],
  ['state rm --force', undefined],
  ['status --follow', '--watch'],
  ['state ls', 'trueup state list (list the resources of the state)'],
  [
    'logs -f',
    'trueup logs ADDRESS --tail N (print the log of a service or of its last deployment, where the platform serves it)',
  ],
  [
    'logs -f production.redis.cache',
    'trueup logs ADDRESS --tail N (print the log of a service or of its last deployment, where the platform serves it)',
  ],
  ['-f staging.yaml logs', undefined],
  ['frobnicate', undefined],
  ['constructor', undefined],
])('trueup %s: its error names %s', async (line, meant) => {
  const { code, err } = await trueup(line.split(' '));
  expect(code).toBe(1);
  const text = err.replaceAll(/\n\s+/g, ' ');
  if (meant === undefined) expect(text).not.toContain('-> Did you mean');
  else expect(text).toContain(`-> Did you mean ${meant}?`);
});
