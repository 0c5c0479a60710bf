import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';

/** The program keeps what V8 compiled for the runs that follow, where only its user can write, and works without it. */

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};
const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { a: {} }\n';

let place: string;
/** A copy of the program that a test may change. */
let copy: string;
let home: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'trueup-cache-'));
  copy = join(place, 'program');
  home = join(place, 'home');
  mkdirSync(home);
  const built = dirname(dirname(inject('program')));
  for (const name of ['bin', 'dist/cli', 'package.json'])
    cpSync(join(built, name), join(copy, name), { recursive: true });
  writeFileSync(join(place, 'trueup.yaml'), manifest);
  return () => rmSync(place, { recursive: true });
});

function trueup(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const about = {
    cwd: place,
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'bin/trueup.js'), ...words], about);
  return { status, stdout, stderr };
}

const own = () => join(copy, '.code-cache');
/** Names of the kept files, without what compiled them. */
const keptIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => name.replace(/-[\da-f]+\.cache$/, ''))
        .toSorted()
    : [];
const fileOf = (name: string): string =>
  join(own(), readdirSync(own()).find((one) => one.startsWith(`${name}-`)) ?? 'nothing');
/** Another number means that it was written again. */
const writing = (file: string): number => statSync(file).ino;

const valid = { status: 0, stdout: 'trueup.yaml is valid: 1 resource.\n', stderr: '' };

test('a run keeps its code for the next of its command, which takes it', () => {
  expect(trueup(['validate'])).toEqual(valid);
  expect(keptIn(own())).toEqual(['validate']);
  const first = writing(fileOf('validate'));
  expect(trueup(['validate'])).toEqual(valid);
  expect(writing(fileOf('validate'))).toBe(first);
  expect(trueup(['-C', '.', 'plan'])).toMatchObject({ status: 0 });
  expect(keptIn(own())).toEqual(['plan', 'validate']);
  expect(statSync(fileOf('plan')).size).toBeGreaterThan(statSync(fileOf('validate')).size * 1.2);
});

test('only the user can read and write what is kept', () => {
  trueup(['validate']);
  expect(statSync(own()).mode & 0o777).toBe(0o700);
  expect(statSync(fileOf('validate')).mode & 0o777).toBe(0o600);
});

test('the first run that connects keeps the code of connections, and more of its own', () => {
  trueup(['apply', '--auto-approve']);
  const [before, size] = [writing(fileOf('apply')), statSync(fileOf('apply')).size];
  expect(keptIn(own())).toEqual(['apply']);
  const script = join(place, 'serve.sh');
  writeFileSync(
    script,
    `set -e
"$NODE" "$TRUEUP" emulate --port 0 > told & server=$!
trap 'kill $server' EXIT
while ! grep -q TRUEUP_API_KEY told; do sleep 0.1; done
sed "s|platform: emulator|platform: { url: '$(sed -n 's/^TRUEUP_URL=//p' told)' }|" trueup.yaml > served.yaml
TRUEUP_API_KEY=$(sed -n 's/^TRUEUP_API_KEY=//p' told) "$NODE" "$TRUEUP" -f served.yaml apply --auto-approve
`,
  );
  const env = { PATH: process.env.PATH, HOME: home, NODE: process.execPath, TRUEUP: join(copy, 'bin/trueup.js') };
  const { status, stderr } = spawnSync('sh', [script], { cwd: place, encoding: 'utf8', env });
  expect(stderr).not.toContain('error');
  expect(status).toBe(0);
  expect(keptIn(own())).toEqual(['agent', 'apply']);
  expect(writing(fileOf('apply'))).not.toBe(before);
  expect(statSync(fileOf('apply')).size).toBeGreaterThan(size);
});

test.each([
  ['that fails', ['-f', 'missing.yaml', 'validate'], {}],
  ['of a command that is seldom run', ['fmt', '--check'], {}],
  ['where Node is told to keep nothing', ['validate'], { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['that prints its version', ['--version'], {}],
  ['that prints the help of a command', ['validate', '--help'], {}],
  ['that prints it by name', ['help', 'validate'], {}],
])('a run %s keeps nothing', (_, words, env) => {
  trueup(words, env);
  expect(keptIn(own())).toEqual([]);
});

test('a run that waits for a busy machine keeps its code; one that works for long does not', () => {
  const script = join(place, 'busy.cjs');
  writeFileSync(script, `const { now } = performance;\nperformance.now = () => now.call(performance) + 10_000;\n`);
  const env = { NODE_OPTIONS: `--require ${script}` };
  expect(trueup(['validate'], env)).toEqual(valid);
  expect(keptIn(own())).toEqual(['validate']);
  rmSync(own(), { recursive: true });
  writeFileSync(script, `process.cpuUsage = () => ({ user: 4e6, system: 2e6 });\n`);
  expect(trueup(['validate'], env)).toEqual(valid);
  expect(keptIn(own())).toEqual([]);
});

test('another V8, or one with other flags, keeps code of its own', () => {
  trueup(['validate']);
  expect(trueup(['validate'], { NODE_OPTIONS: '--max-old-space-size=500 --stack-trace-limit=5' })).toEqual(valid);
  expect(keptIn(own())).toEqual(['validate', 'validate']);
});

test('another version of Node with the same V8 keeps code of its own, and takes no other', () => {
  trueup(['validate']);
  const first = writing(fileOf('validate'));
  const script = join(place, 'another.cjs');
  writeFileSync(script, `Object.defineProperty(process, 'version', { value: 'v20.20.1' });\n`);
  expect(trueup(['validate'], { NODE_OPTIONS: `--require ${script}` })).toEqual(valid);
  expect(keptIn(own())).toEqual(['validate', 'validate']);
  expect(readdirSync(own()).map((name) => writing(join(own(), name)))).toContain(first);
});

test.each([
  ['was cut off', (file: string) => truncateSync(file, 100_000)],
  ['is empty', (file: string) => truncateSync(file)],
  [
    'has one wrong bit',
    (file: string) => {
      const bytes = readFileSync(file);
      const at = bytes.length >> 1;
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      rmSync(file);
      writeFileSync(file, bytes);
    },
  ],
])('code that %s is not run, and is kept again', (_, spoil) => {
  trueup(['validate']);
  const [file, whole] = [fileOf('validate'), readFileSync(fileOf('validate')).length];
  spoil(file);
  const spoilt = writing(file);
  expect(trueup(['validate'])).toEqual(valid);
  expect(writing(file)).not.toBe(spoilt);
  expect(readFileSync(file).length).toBeGreaterThan(whole * 0.9);
});

test('a folder in the place of a file changes nothing', () => {
  trueup(['validate']);
  const file = fileOf('validate');
  rmSync(file);
  mkdirSync(file);
  expect(trueup(['validate'])).toEqual(valid);
  expect(keptIn(own())).toEqual(['validate']);
});

test('code of another program of the same length is not run', () => {
  trueup(['validate']);
  const bundle = join(copy, 'dist/cli/main.cjs');
  writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll('is valid: ', 'is BUILT: '));
  for (const _ of [1, 2])
    expect(trueup(['validate'])).toEqual({ ...valid, stdout: valid.stdout.replace('is valid: ', 'is BUILT: ') });
});

describe.runIf(process.getuid?.() === 0)('where the package is not of the user', () => {
  /** What is there before a run, in the place of the folder of the package. */
  const notOwn = {
    'of another user': () => {
      mkdirSync(own(), { mode: 0o700 });
      chownSync(own(), 1000, 1000);
    },
    'open to others': () => {
      mkdirSync(own());
      chmodSync(own(), 0o755);
    },
    'a link': () => {
      mkdirSync(join(place, 'elsewhere'), { mode: 0o700 });
      symlinkSync(join(place, 'elsewhere'), own());
    },
    'a file': () => writeFileSync(own(), ''),
  };
  /** The one folder below that of the user. */
  const keptBelow = (folder: string): string[] => {
    const all = join(folder, 'trueup');
    return existsSync(all) ? readdirSync(all).flatMap((name) => keptIn(join(all, name))) : [];
  };

  test.each(Object.entries(notOwn))('(%s), the folder of the user keeps the code', (_, prepare) => {
    prepare();
    expect(trueup(['validate'])).toEqual(valid);
    expect(keptBelow(join(home, '.cache'))).toEqual(['validate']);
    expect(statSync(join(home, '.cache/trueup')).mode & 0o777).toBe(0o700);
    expect(keptIn(join(place, 'elsewhere'))).toEqual([]);
  });

  test('that folder is the one of XDG_CACHE_HOME where it is absolute', () => {
    notOwn['open to others']();
    trueup(['validate'], { XDG_CACHE_HOME: join(place, 'caches') });
    expect(keptBelow(join(place, 'caches'))).toEqual(['validate']);
    trueup(['validate'], { XDG_CACHE_HOME: 'caches/relative' });
    expect(existsSync(join(place, 'caches/relative'))).toBe(false);
    expect(keptBelow(join(home, '.cache'))).toEqual(['validate']);
  });

  test('a file there that is of another user, that others can write, or that is a link is not run', () => {
    notOwn['open to others']();
    trueup(['validate']);
    const [folder = ''] = readdirSync(join(home, '.cache/trueup')).map((name) => join(home, '.cache/trueup', name));
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    const spoils = {
      'of another user': () => chownSync(file, 1000, 1000),
      'that others can write': () => chmodSync(file, 0o666),
      'a link': () => {
        renameSync(file, join(place, 'elsewhere'));
        symlinkSync(join(place, 'elsewhere'), file);
      },
    };
    for (const [which, spoil] of Object.entries(spoils)) {
      spoil();
      expect(trueup(['validate']), which).toEqual(valid);
      // It was not taken: another one is there.
      const about = lstatSync(file);
      expect([which, about.isFile(), about.uid, about.mode & 0o777]).toEqual([which, true, 0, 0o600]);
    }
  });

  test('root keeps nothing in the package of another user, who could not remove it', () => {
    chownSync(copy, 1000, 1000);
    expect(trueup(['validate'])).toEqual(valid);
    expect(existsSync(own())).toBe(false);
    expect(keptBelow(join(home, '.cache'))).toEqual(['validate']);
  });

  test.each(['/proc', '/proc/self', '/dev/null', '/sys'])(
    'a folder for caches where none can be made, %s, holds nothing up',
    (caches) => {
      notOwn['open to others']();
      expect(trueup(['validate'], { XDG_CACHE_HOME: caches })).toEqual(valid);
    },
  );

  test('a user without a home runs the program', () => {
    notOwn['open to others']();
    chmodSync(place, 0o755);
    const about = { cwd: place, encoding: 'utf8', env: {}, uid: 54_321, gid: 54_321 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'bin/trueup.js'), 'validate'], about);
    expect({ status, stdout, stderr }).toEqual(valid);
  });

  test('a job of CI keeps nothing there', () => {
    notOwn['open to others']();
    expect(trueup(['validate'], { CI: 'true' })).toEqual(valid);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });

  test('a job of CI keeps it in a package that it can write', () => {
    trueup(['validate'], { CI: 'true' });
    expect(keptIn(own())).toEqual(['validate']);
  });

  test.each(['a folder', 'a file'])('nothing is kept in a repository, whose .git is %s', (is) => {
    notOwn['open to others']();
    if (is === 'a file') writeFileSync(join(place, '.git'), 'gitdir: elsewhere\n');
    else mkdirSync(join(place, '.git'));
    expect(trueup(['validate'])).toEqual(valid);
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });
});

test('connections work without code of their own', () => {
  trueup(['plan']);
  writeFileSync(join(place, 'trueup.yaml'), manifest.replace('emulator', '{ url: "http://127.0.0.1:1" }'));
  const { status, stderr } = trueup(['plan'], { TRUEUP_API_KEY: 'key-1', TRUEUP_PINNED: 'false' });
  expect(stderr).toContain('the server refused the connection');
  expect(status).not.toBe(0);
});

test('the bundles are strict, and ASCII, as they are read', () => {
  for (const name of ['main', 'agent']) {
    const text = readFileSync(join(copy, `dist/cli/${name}.cjs`), 'utf8');
    expect(text).toMatch(/^'use strict';/);
    expect(text.search(/[^\0-\x7F]/)).toBe(-1);
  }
});

test('a command that only prints its help ends with 0', () => {
  expect(trueup(['help', 'plan'])).toMatchObject({ status: 0, stderr: '' });
});

test('a stack for TRUEUP_DEBUG=1 names the files of the source', () => {
  writeFileSync(join(place, 'trueup.yaml'), 'trueup: 1\n');
  const { status, stderr } = trueup(['validate'], { TRUEUP_DEBUG: '1' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^ +at .*src\/workflow\/validate\.ts:\d+:\d+/m);
});

/** Runs `validate` as a Node of another version would, or another program with that word. */
function validateOn(node: string, program = 'trueup') {
  const script = `Object.defineProperty(process.versions, 'node', { value: '${node}' });
    process.argv.splice(1, 0, '${program}'); require('${join(copy, `bin/${program}.js`)}');`;
  const about = { cwd: place, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script, 'validate'], about);
  return { status, stdout, stderr };
}

test.each([
  ['18.20.8', 'trueup'],
  ['20.18.3', 'trueup'],
  ['21.7.3', 'trueup'],
  ['22.1.0', 'trueup'],
  ['22.11.0', 'trueup'],
  ['18.20.8', 'trueup-ci'],
  ['21.7.3', 'trueup-ci'],
])('Node %s is refused by a sentence of %s', (node, program) => {
  const { status, stdout, stderr } = validateOn(node, program);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^error: Trueup runs on Node 20 .*; this is ${node.replaceAll('.', String.raw`\.`)}\n  -> .*\n$`),
  );
});

test.each(['20.19.0', '22.12.0', '23.0.0', '24.1.0', '26.0.0'])('Node %s is taken', (node) => {
  expect(validateOn(node)).toEqual(valid);
});

test('a program that is not built says so, and knows its version', () => {
  rmSync(join(copy, 'dist'), { recursive: true });
  expect(trueup(['validate'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'trueup is not built: run `npm run build` first\n',
  });
  expect(trueup(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});
