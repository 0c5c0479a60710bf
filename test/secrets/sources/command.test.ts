import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSecretCommand } from '../../../src/secrets/sources/command.ts';

/** A program prints a secret; it is run without a shell, and gets nothing of what is ours. */

const node = process.execPath;

/** Runs a program of Node that prints. Gives what came of it, and the secrets it added. */
async function run(script: string, about: { words?: readonly string[]; limitMs?: number; folder?: string } = {}) {
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
    },
    limitMs: about.limitMs ?? 10_000,
    addSecret: (value) => secrets.push(value),
  });
  return { answer, secrets };
}

const print = (value: string) => `process.stdout.write(${JSON.stringify(value)})`;

describe('what a program prints', () => {
  test.each([
    ['without a line end', 'correct-horse', 'correct-horse'],
    ['with a line end', 'correct-horse\n', 'correct-horse'],
    ['with a line end of Windows', 'correct-horse\r\n', 'correct-horse'],
    ['with two line ends: one belongs to it', 'correct-horse\n\n', 'correct-horse\n'],
    ['in several lines', '-----BEGIN\r\nabc\n-----END\n', '-----BEGIN\r\nabc\n-----END'],
    ['with spaces around it', '  a b \n', '  a b '],
    ['with signs of the shell and of all languages', '$(id) `x` ä 🚀 "\'\\', '$(id) `x` ä 🚀 "\'\\'],
    ['as nothing', '', ''],
    ['as a line end', '\n', ''],
  ])('%s is the value', async (_how, printed, value) => {
    const { answer, secrets } = await run(print(printed));
    expect(answer).toEqual({ value });
    expect(secrets).toEqual([printed]);
  });

  test.each([
    ['not UTF-8', 'process.stdout.write(Buffer.from([0xff, 0xfe]))', 'printed what is not UTF-8 text'],
    ['the character NUL', print('a\0b'), 'printed the character NUL'],
    ['too long', "process.stdout.write('x'.repeat(1_000_001))", 'printed more than 1000000 bytes'],
  ])('that is %s is no value', async (_what, script, problem) => {
    expect((await run(script)).answer).toMatchObject({ problem });
  });
});

describe('a program', () => {
  test('gets the name where {name} stands, and no shell reads anything', async () => {
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

  test('gets the environment without what is ours', async () => {
    const { answer } = await run('console.log(Object.keys(process.env).sort().join())');
    expect(answer).toEqual({ value: 'HOME,PATH' });
  });

  test('finds nothing on its standard input', async () => {
    expect((await run("process.stdin.on('end', () => console.log('ended')).resume()")).answer).toEqual({
      value: 'ended',
    });
  });

  test('runs in the folder of the manifest, where it may be', async () => {
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

  test('that fails has no value, whatever it printed, and what it said on stderr is kept', async () => {
    const { answer, secrets } = await run(
      "console.log('half-a-secret'); console.error('no such entry'); process.exit(3)",
    );
    expect(answer).toMatchObject({ problem: 'ended with code 3', said: 'no such entry\n' });
    expect(answer).not.toHaveProperty('value');
    expect(secrets).toEqual(['half-a-secret\n']);
    expect((await run("process.kill(process.pid, 'SIGTERM')")).answer).toMatchObject({
      problem: 'was ended by SIGTERM',
    });
  });

  test('that is not there, or is none, is told', async () => {
    expect((await run('', { words: ['trueup-no-such-program', '{name}'] })).answer).toMatchObject({
      problem: 'is not there',
    });
    expect((await run('', { words: ['/dev/null/x', '{name}'] })).answer).toMatchObject({
      problem: expect.stringMatching(/^cannot be run \(E/) as string,
    });
  });

  test('that does not end is ended, and nobody waits for what it has started', async () => {
    const waiting = ['sh', '-c', 'echo waiting >&2; exec sleep 600', '{name}'];
    const { answer } = await run('', { words: waiting, limitMs: 1_000 });
    expect(answer).toMatchObject({ problem: 'did not end within 1 s', said: 'waiting\n' });
    const held = await run('', { words: ['sh', '-c', 'sleep 600 & echo $! >&2; wait', '{name}'], limitMs: 1_000 });
    const { said } = held.answer as { said: string };
    expect(held.answer).toMatchObject({
      problem: 'did not end within 1 s',
      said: expect.stringMatching(/^\d+\n$/) as string,
    });
    expect(process.kill(Number(said))).toBe(true); // it was still there
  });
});
