import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The tarball, as users get it: packed, installed in an empty folder from the registry, and used. */

const root = resolve(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'trueup-package-'));
const installed = join(place, 'global/lib/node_modules/trueup');
const { version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
};
const entries = Object.keys(exports).filter((entry) => typeof exports[entry] !== 'string');

function run(command: string, args: readonly string[], about: { cwd?: string; env?: Record<string, string> } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...about.env };
  return spawnSync(command, args, { cwd: about.cwd ?? place, env, encoding: 'utf8', timeout: 120_000 });
}

/** The settings of this machine; with another prefix npm would look for them there. */
const settings = ['--globalconfig', run('npm', ['config', 'get', 'globalconfig'], { cwd: root }).stdout.trim()];

/** npm with a cache of its own. Settings of this machine that a later npm will not know are no warning about the package. */
function npm(args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = run('npm', [...args, ...settings, '--cache', join(place, 'cache')], { cwd });
  const warnings = stderr
    .split('\n')
    .filter((line) => /^npm (warn|error)/i.test(line) && !/Unknown \w+ config/.test(line));
  return { status, stdout, warnings };
}

let tarball = '';

beforeAll(() => {
  const packed = npm(['pack', '--json', '--pack-destination', place], root);
  expect(packed).toMatchObject({ status: 0, warnings: [] });
  tarball = join(place, `trueup-${version}.tgz`);
  mkdirSync(join(place, 'empty'));
}, 300_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('U16: the package', () => {
  test('is installed from its tarball in an empty folder, without a warning', { timeout: 300_000 }, () => {
    const args = ['install', '--global', '--prefix', join(place, 'global'), '--no-audit', '--no-fund', tarball];
    expect(npm(args, join(place, 'empty'))).toMatchObject({ status: 0, warnings: [] });
    const program = join(place, 'global/bin/trueup');
    expect(run(program, ['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    cpSync(join(installed, 'examples/hello'), join(place, 'hello'), { recursive: true });
    const at = { cwd: join(place, 'hello') };
    expect(run(program, ['apply', '--auto-approve', '--adopt'], at)).toMatchObject({ status: 0 });
    expect(run(program, ['plan', '--detailed-exitcode'], at)).toMatchObject({ status: 0 });
  });

  test('gives the library by each of its sub-paths, and its types', { timeout: 300_000 }, () => {
    expect(entries).toHaveLength(6);
    const own = join(place, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
    expect(npm(['install', '--no-audit', '--no-fund', tarball], own)).toMatchObject({ status: 0, warnings: [] });
    const names = entries.map((entry) => entry.replace('.', 'trueup'));
    const imports = names.map((name, at) => `import * as m${at} from '${name}';\n`).join('');
    const uses = `export const all: number[] = [${names.map((_name, at) => `Object.keys(m${at}).length`).join(', ')}];\n`;
    writeFileSync(join(own, 'use.ts'), `${imports}${uses}`);
    writeFileSync(
      join(own, 'use.js'),
      `${imports}${uses.replace(': number[]', '')}console.log(Math.min(...all) > 0);\n`,
    );
    expect(run('node', ['use.js'], { cwd: own })).toMatchObject({ status: 0, stdout: 'true\n', stderr: '' });
    const tsc = [
      join(root, 'node_modules/.bin/tsc'),
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--types',
      'node',
    ];
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--target', 'es2023', 'use.ts'];
    expect(run('node', [...tsc, ...types], { cwd: own })).toMatchObject({ status: 0, stdout: '' });
  });

  test.each([
    ['library', '.js', 20],
    ['command line', '.cjs', 0],
  ])('holds each module of the %s once, with a source map beside each file of code', (_, ending, more) => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const code = files.filter((path) => path.endsWith(ending));
    expect(code.length).toBeGreaterThan(more);
    // A code cache is for the Node that made it.
    expect(files.filter((path) => path.endsWith('.cache'))).toEqual([]);
    const sources = code.flatMap((path) => {
      const file = join(installed, 'dist', `${path}.map`);
      return existsSync(file)
        ? (JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] }).sources
        : [`no ${path}.map`];
    });
    // Each bundle loads modules of Node late by a line of its own.
    const modules = sources.map((path) => path.replace(/^(\.\.\/)+/, '')).filter((path) => !path.startsWith('late:'));
    expect(modules.filter((path) => path.startsWith('no '))).toEqual([]);
    expect(modules.length).toBeGreaterThan(300);
    expect(modules.filter((path, at) => modules.indexOf(path) !== at)).toEqual([]);
  });

  test('has the paths, exports and types that Node, bundlers and TypeScript expect', { timeout: 300_000 }, async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
    const { types, problems } = (await checkPackage(createPackageFromTarballData(readFileSync(tarball)))) as {
      types: unknown;
      problems?: readonly { readonly kind: string; readonly resolutionKind?: string }[];
    };
    expect(types).toBeTruthy();
    // Without exports and ES modules, as before Node 16, nobody can use it.
    const modern = (problems ?? []).filter(({ resolutionKind: how }) => how !== 'node10' && how !== 'node16-cjs');
    expect(modern).toEqual([]);
  });
});
