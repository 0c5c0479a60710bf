import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSecretCommand } from '../../../src/secrets/sources/command.ts';

/** A program prints a secret; it is run without a shell, and gets nothing of what is ours. */

const node = process.execPath;

/** Runs a program of Node that prints. Gives what came of it, and the secrets it added. */
async function run(
  script: string,
  about: { words?: readonly string[]; limitMs?: number; folder?: string; passes?: readonly string[] } = {},
) {
  const secrets: string[] = [];
  const answer = await runSecretCommand({
    words: about.words ?? [node, '-e', script, '{name}', 'shop/{name}/{name}'],
    name: 'DB_PASSWORD',
    folder: about.folder ?? tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: '/home/somebody',
      TRUEUP_API_KEY: 'key-1',
      TRUEUP_SECRET_X: 'x',
      trueup_y: 'y',
      GITHUB_TOKEN: 'ghp',
      AWS_SECRET_ACCESS_KEY: 'aws',
      VAULT_ADDR: 'https://vault',
      LC_ALL: 'C',
    },
    passes: about.passes ?? [],
    limitMs: about.limitMs ?? 10_000,
    addSecret: (value) => secrets.push(value),
  });
  return { answer, secrets };
}

const print = (value: string) => `process.stdout.write(${JSON.stringify(value)})`;

describe('the output of a secret command', () => {
  test.each([
    ['without a line end', 'correct-horse', 'correct-horse'],
    ['with a line end', 'correct-horse\n', 'correct-horse'],
    ['with a line end of Windows', 'correct-horse\r\n', 'correct-horse'],
    ['with two line ends: one belongs to it', 'correct-horse\n\n', 'correct-horse\n'],
    ['in several lines', '-----BEGIN\r\nabc\n-----END\n', '-----BEGIN\r\nabc\n-----END'],
    ['with spaces around it', '  a b \n', '  a b '],
    ['with shell and Unicode characters', '$(id) `x` ä 🚀 "\'\\', '$(id) `x` ä 🚀 "\'\\'],
    ['that is empty', '', ''],
    ['that is a line end', '\n', ''],
  ])('%s becomes the value', async (_how, printed, value) => {
    const { answer, secrets } = await run(print(printed));
    expect(answer).toEqual({ value });
    expect(secrets).toEqual([printed]);
  });

  test.each([
    ['not UTF-8', 'process.stdout.write(Buffer.from([0xff, 0xfe]))', 'printed bytes that are not UTF-8 text'],
    ['the character NUL', print('a\0b'), 'printed the character NUL'],
    ['too long', "process.stdout.write('x'.repeat(1_000_001))", 'printed more than 1000000 bytes'],
  ])('that is %s is refused', async (_what, script, problem) => {
    expect((await run(script)).answer).toMatchObject({ problem });
  });
});

describe('a secret command', () => {
  test('gets the name instead of {name}, without a shell', async () => {
    const { answer } = await run('console.log(JSON.stringify(process.argv.slice(1)))', {
      words: [
        node,
        '-e',
        'console.log(JSON.stringify(process.argv.slice(1)))',
        '{name}',
        'shop/{name}/{name}',
        '$(id);*',
      ],
    });
    expect(answer).toEqual({ value: '["DB_PASSWORD","shop/DB_PASSWORD/DB_PASSWORD","$(id);*"]' });
  });

  test('gets of the environment only what is no secret', async () => {
    const { answer } = await run('console.log(Object.keys(process.env).sort().join())');
    expect(answer).toEqual({ value: 'HOME,LC_ALL,PATH' });
  });

  test('gets the variables that its source lists, but none of Trueup', async () => {
    const passes = ['VAULT_ADDR', 'GITHUB_TOKEN', 'TRUEUP_API_KEY', 'trueup_y', 'UNKNOWN'];
    const { answer } = await run('console.log(Object.keys(process.env).sort().join())', { passes });
    expect(answer).toEqual({ value: 'GITHUB_TOKEN,HOME,LC_ALL,PATH,VAULT_ADDR' });
  });

  test('gets an empty standard input', async () => {
    expect((await run("process.stdin.on('end', () => console.log('ended')).resume()")).answer).toEqual({
      value: 'ended',
    });
  });

  test('runs in the folder of the manifest when it is executable', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-command-'));
    writeFileSync(join(folder, 'secret.sh'), '#!/bin/sh\ncat "$1".txt\n');
    writeFileSync(join(folder, 'DB_PASSWORD.txt'), 'from beside\n');
    const words = ['./secret.sh', '{name}'];
    expect((await run('', { words, folder })).answer).toMatchObject({
      problem: expect.stringContaining('EACCES') as string,
    });
    chmodSync(join(folder, 'secret.sh'), 0o755);
    expect((await run('', { words, folder })).answer).toEqual({ value: 'from beside' });
  });

  test('that fails gives no value in spite of its stdout, and its stderr', async () => {
    const { answer, secrets } = await run(
      "console.log('half-a-secret'); console.error('no such entry'); process.exit(3)",
    );
    expect(answer).toMatchObject({ problem: 'exited with code 3', said: 'no such entry\n' });
    expect(answer).not.toHaveProperty('value');
    expect(secrets).toEqual(['half-a-secret\n']);
    expect((await run("process.kill(process.pid, 'SIGTERM')")).answer).toMatchObject({
      problem: 'was killed by SIGTERM',
    });
  });

  test('that does not exist or is not a program is an error', async () => {
    expect((await run('', { words: ['trueup-no-such-program', '{name}'] })).answer).toMatchObject({
      problem: 'does not exist',
    });
    expect((await run('', { words: ['/dev/null/x', '{name}'] })).answer).toMatchObject({
      problem: expect.stringMatching(/^cannot be run \(E/) as string,
    });
  });

  /** Ends, and leaves a child that has its output of the number. */
  const leaves = (output: 1 | 2, value: string, code: number) => ({
    folder: mkdtempSync(join(tmpdir(), 'trueup-command-')),
    words: [
      'bash',
      '-c',
      `exec 3>pid; sleep 600 ${output === 1 ? '2' : '1'}>/dev/null & echo $! >&3; printf %s "$1"; exit ${code}`,
      '{name}',
      value,
    ],
  });
  const endChild = (folder: string) => process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));

  test.each<readonly [what: string, value: string, code: number, expected: object, output: 1 | 2]>([
    ['its value', 'correct-horse', 0, { value: 'correct-horse' }, 2],
    ['much', 'x'.repeat(100_000), 0, { value: 'x'.repeat(100_000) }, 2],
    ['its failure', 'half', 3, { problem: 'exited with code 3' }, 1],
  ])('that ends and leaves a child gives %s, and leaves the child alone', async (_, value, code, expected, output) => {
    const { folder, words } = leaves(output, value, code);
    const { answer } = await run('', { words, folder });
    expect(answer).toMatchObject(expected);
    expect(endChild(folder)).toBe(true);
  });

  test('that ends and leaves a child which may print more gives no value, and says what to do', async () => {
    const { folder, words } = leaves(1, 'half', 0);
    const { answer, secrets } = await run('', { words, folder });
    expect(answer).toMatchObject({
      problem: 'ended and left a program with its output open, which may print more of the value,',
      remedy: expect.stringContaining('>/dev/null') as string,
    });
    expect(answer).not.toHaveProperty('value');
    expect(secrets).toEqual(['half']);
    expect(endChild(folder)).toBe(true);
  });

  test('gives all that a child prints which ends after it', async () => {
    const words = ['bash', '-c', 'exec > >(sleep 0.5; cat; printf -- -staple); printf battery', '{name}'];
    const { answer, secrets } = await run('', { words, limitMs: 30_000 });
    expect(answer).toEqual({ value: 'battery-staple' });
    expect(secrets).toEqual(['battery-staple']);
  });

  test('that runs too long is killed, without waiting for its children', async () => {
    const waiting = ['sh', '-c', 'echo waiting >&2; exec sleep 600', '{name}'];
    const { answer } = await run('', { words: waiting, limitMs: 1_000 });
    expect(answer).toMatchObject({ problem: 'did not exit within 1 s', said: 'waiting\n' });
    const held = await run('', { words: ['sh', '-c', 'sleep 600 & echo $! >&2; wait', '{name}'], limitMs: 1_000 });
    const { said } = held.answer as { said: string };
    expect(held.answer).toMatchObject({
      problem: 'did not exit within 1 s',
      said: expect.stringMatching(/^\d+\n$/) as string,
    });
    expect(process.kill(Number(said))).toBe(true); // it was still there
  });
});
