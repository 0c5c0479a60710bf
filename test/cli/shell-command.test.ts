import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commandLine } from '../../src/cli/shell-command.ts';
import { shellWord } from '../../src/diagnostics/shell-word.ts';
import type { Run } from '../../src/cli/command.ts';

/** Command lines that users copy. */

const words = [
  'plain',
  'two words',
  "it's",
  '$HOME',
  '`id`',
  '*',
  '~',
  '',
  'a"b',
  'a\\b',
  '--x',
  '=x',
  'line\nline',
  'ä;&|',
];

test.each(words)('a shell reads the word %j as it was written', (word) => {
  const read = execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
  expect(read).toBe(word);
});

test('a plain word stays as it is', () => {
  expect(['plan.trueup', '../a/b-c_d', 'tag=2025.11.3'].map(shellWord)).toEqual([
    'plan.trueup',
    '../a/b-c_d',
    'tag=2025.11.3',
  ]);
});

describe('a command line', () => {
  const line = (options: Partial<Run['options']>, ...rest: readonly string[]) =>
    commandLine(
      {
        options: {
          folder: '/srv/infra',
          file: 'trueup.yaml',
          variables: new Map(),
          allowsSecretCommands: false,
          allowsHttp: undefined,
          isPinned: undefined,
          ...options,
        } as unknown as Run['options'],
        process: { cwd: () => '/srv' } as unknown as Run['process'],
      },
      rest,
    );

  test('names the folder and the options that choose the manifest', () => {
    expect(line({}, 'apply', 'plan.trueup')).toBe('trueup -C infra apply plan.trueup');
    expect(line({ folder: '/srv' }, 'apply', 'my plan')).toBe("trueup apply 'my plan'");
    expect(line({ file: 'pr.yaml', preview: '12' }, 'apply', 'p')).toBe(
      'trueup -C infra -f pr.yaml --preview 12 apply p',
    );
    expect(line({ folder: '/other/infra' }, 'apply', 'p')).toBe('trueup -C /other/infra apply p');
    const more = { file: 'b.yaml', variables: new Map([['tag', 'a b']]), allowsHttp: true, isPinned: false };
    expect(line({ ...more, allowsSecretCommands: true }, 'destroy', '-p')).toBe(
      "trueup -C infra -f b.yaml --var 'tag=a b' --allow-secret-commands --allow-http --no-pinned destroy ./-p",
    );
  });

  test('shows no secret', () => {
    expect(
      line(
        {
          variables: new Map([
            ['db_password', 'canary'],
            ['tag', '1.28'],
          ]),
        },
        'apply',
        'p',
      ),
    ).toBe("trueup -C infra --var 'db_password=(sensitive)' --var tag=1.28 apply p");
  });
});
