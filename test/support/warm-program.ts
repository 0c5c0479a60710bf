import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { runCi } from '../../src/ci/run-ci.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { processOfTest } from './process.ts';

/**
 * A program `node` that lets the process of the test run `trueup` and `trueup-ci`: to start Node and load them takes 0.5 s of
 * CPU each time. It is for scripts that are about what these do, and not about processes. All else the real Node runs, also a
 * program that the one before it talks to.
 */
const nodeOf = (port: number) => `#!/bin/bash
case "\${1##*/}\${NODE_CHANNEL_FD:+ asks}" in
  trueup | trueup.js | trueup-ci | trueup-ci.js) ;;
  *) exec '${process.execPath}' "$@" ;;
esac
exec 3<> /dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$0" "$PWD" $# "$@"; env -0; printf '\\0'; } >&3
read -r code printed <&3
cat "$printed.out"
cat "$printed.err" >&2
exit "$code"
`;

/** A start of a program. */
interface Start {
  readonly node: string;
  readonly cwd: string;
  /** The file of the program, and the words after it. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Reads a start; undefined: its end has not come yet. */
function readStart(text: string): Start | undefined {
  const [node = '', cwd = '', count = '', ...rest] = text.split('\0');
  const words = rest.slice(0, Number(count));
  const end = rest.indexOf('', words.length);
  if (end === -1 || end === rest.length - 1) return undefined;
  const variables = rest.slice(words.length, end).map((line) => {
    const [name = ''] = line.split('=', 1);
    return [name, line.slice(name.length + 1)] as const;
  });
  return { node, cwd, words, env: Object.fromEntries(variables) };
}

async function run({ node, cwd, words: [program = '', ...args], env }: Start) {
  const process = processOfTest({ args, env, cwd });
  if (!basename(program).startsWith('trueup-ci')) return { code: await runCommandLine(process), ...process.printed };
  // It starts trueup by the same Node.
  const started = Object.assign(process, { argv: [node, program, ...args] });
  const code = await runCi(started, join(dirname(program), basename(program).replace('-ci', '')));
  return { code, ...process.printed };
}

/** Serves the program of this process. Its `node` stands in for that of `Product`. */
export async function serveProgram(): Promise<{ readonly node: string; close(): Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-warm-'));
  let runs = 0;

  async function answer(start: Start): Promise<string> {
    const printed = join(folder, String(runs++));
    const failed = (error: unknown) => ({ code: 70, out: '', err: inspect(error) });
    const { code, out, err } = await run(start).catch(failed);
    writeFileSync(`${printed}.out`, out);
    writeFileSync(`${printed}.err`, err);
    return `${code} ${printed}\n`;
  }

  const server = createServer((socket) => {
    const parts: Buffer[] = [];
    socket.on('error', () => {}); // a script that was killed needs no answer
    socket.on('data', (part) => {
      parts.push(part);
      const start = readStart(Buffer.concat(parts).toString());
      if (start !== undefined) void answer(start).then((text) => socket.end(text));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = join(folder, 'node');
  writeFileSync(node, nodeOf((server.address() as AddressInfo).port));
  chmodSync(node, 0o755);
  return { node, close: () => new Promise((done) => server.close(done)) };
}
