import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commands, nameIn } from '../src/cli/commands/index.ts';
import { kinds } from '../src/resources/index.ts';

/** The borders of the project: who may import whom, who may touch the world, who may name a kind. */

const source = resolve(import.meta.dirname, '../src');

/** A folder imports from itself and from what stands before it. */
const order = [
  'diagnostics',
  'formats',
  'compose',
  'api',
  'trace',
  'kind',
  'resources',
  'secrets',
  'state',
  'files',
  'git',
  'forge',
  'manifest',
  'graph',
  'observe',
  'plan',
  'apply',
  'operate',
  'emulator',
  'render',
  'documents',
  'workflow',
  'edit',
  'project',
  'export',
  'drift',
  'library',
  'index.ts',
  'exports',
  'controller',
  'cli',
  'ci',
  'scripts/docs',
];

/** Folders that may import less than what stands before them: the emulator must not confirm mistakes of the kinds. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  emulator: ['api'],
  'scripts/docs': ['diagnostics', 'formats', 'api', 'kind', 'render'],
};

/** Folders that compute only: no disk, no network, no clock, no environment. */
const pure = [
  'formats',
  'compose',
  'kind',
  'graph',
  'plan',
  'edit',
  'render',
  'documents',
  'resources',
  'diagnostics',
  'scripts/docs',
];

/** Folders that do not know which kinds there are. */
const kindless = order.filter((folder) => !['resources', 'emulator', 'api', 'index.ts'].includes(folder));

/** The only files that touch the disk, the network, the process, chance or the clock. */
const worldly = [
  'api/key-limit.ts',
  'api/client.ts', // waits between two attempts of a read
  'api/failures.ts', // a server may name the time to come back at
  'api/sleep.ts',
  'api/agent.ts',
  'api/exchange.ts', // types only
  'api/undici.d.ts', // types only
  'api/transport.ts',
  'api/ask-address.ts',
  'api/fetch-url.ts',
  'api/proxied.ts', // types only
  'api/proxy.ts', // the environment of the process
  'controller/checkouts.ts',
  'controller/demo/demo.ts',
  'controller/demo/fill.ts',
  'controller/demo/platforms.ts',
  'controller/demo/postgres.ts',
  'controller/demo/repository.ts',
  'controller/doctor.ts', // times of polls
  'controller/enrol.ts', // the name of its user
  'controller/environment.ts', // the home of its user
  'controller/examine-files.ts',
  'controller/examine-sources.ts', // has git fetch
  'controller/log.ts', // times
  'controller/pool.ts',
  'controller/work.ts', // times of the log
  'controller/read-settings.ts',
  'controller/records/plans.ts', // a digest
  'controller/secret-file.ts',
  'controller/open-stack.ts', // reads the files that records name
  'controller/forge/forge-of-source.ts', // the same
  'controller/serve.ts', // starts its worker
  'controller/run-stack.ts', // reads the files that records name
  'controller/fingerprint.ts', // a digest
  'controller/worker.ts', // its name
  'controller/waves/steps.ts', // a digest
  'controller/git-source.ts',
  'controller/queue.ts', // how long a worker that stops waits
  'controller/page/access.ts', // the name of the user
  'controller/page/csrf.ts', // chance, and digests
  'controller/page/live.ts', // waits between two looks
  'controller/page/show.ts', // the moment that ages are counted from
  'controller/page/tokens.ts', // digests
  'controller/page/sessions.ts', // chance, and digests
  'controller/page/sign-in/link.ts', // chance, and digests
  'controller/page/sign-in/oidc.ts', // chance, and the time of a sign-in
  'controller/page/sign-in/proxy.ts', // addresses, and digests
  'drift/files.ts',
  'drift/letter.ts', // signs messages
  'drift/notify.ts', // ids by chance
  'forge/call-forge.ts',
  'export/new-manifest.ts',
  'export/export-project.ts',
  'library/manifest-handle.ts', // the environment of the process, unless another is given
  'files/read.ts',
  'project/root-files.ts',
  'git/blame.ts',
  'git/commit.ts',
  'git/tracked.ts',
  'git/repository.ts',
  'git/run-git.ts',
  'git/object.ts',
  'files/regular-file.ts',
  'manifest/readable-files.ts',
  'manifest/workspace.ts',
  'project/links.ts',
  'project/left-states.ts',
  'project/load.ts',
  'project/no-root-file.ts',
  'project/move-state.ts',
  'project/open-store.ts',
  'project/sealed-secrets.ts',
  'project/root-of-trust.ts', // looks where links lead
  'project/same-server.ts', // asks for the addresses of a host
  'project/state-location.ts',
  'project/target.ts',
  'project/value-files.ts',
  'project/version.ts',
  'project/drafts.ts',
  'project/write-files.ts',
  'secrets/digest.ts',
  'secrets/state-key.ts',
  'secrets/generate-secret.ts',
  'secrets/sources/command.ts',
  'secrets/sources/dotenvx.ts',
  'state/backends/pace.ts', // a limit of time
  'trace/exporter.ts', // ids by chance, and a limit of time
  'state/backends/connections.ts',
  'state/clock.ts',
  'state/disk.ts',
  'state/host.ts',
  'state/new-state.ts',
  'controller/hooks/signature.ts', // compares signatures
  'controller/hooks/hook-event.ts', // a digest
  'controller/hooks/hooks.ts', // chance, and the time
  'controller/page/metrics.ts', // how old the last look after the queue is
  'controller/tell/tell.ts', // reads addresses
];

/** Tests that the package exports; their virtual processes touch the world that they make up. */
const conformance = 'state/conformance/';

/** Words that mean something else than the kind of that name: a backend of the state, a file. */
const namesakes: Readonly<Record<string, readonly string[]>> = {
  'compose/extends.ts': ['environment'],
  'compose/model.ts': ['environment'],
  'compose/rewriting.ts': ['environment'],
  'project/open-store.ts': ['postgres'],
  'project/state-location.ts': ['postgres'],
  'manifest/settings-shape.ts': ['environment', 'postgres'], // a setting, and a place of the state
  'manifest/settings.ts': ['environment', 'postgres'],
  'manifest/assemble/environment.ts': ['environment'],
  'manifest/expression-encoding.ts': ['compose'], // a word behind an expression
  'forge/comments.ts': ['gitea', 'gitlab'], // forges
  'ci/forge-of-job.ts': ['gitea', 'github', 'gitlab', 'schedule'], // forges, and an event
  'forge/repository.ts': ['gitea', 'github', 'gitlab'], // forges
  'forge/pages.ts': ['gitea'],
  'forge/repository-at.ts': ['gitea', 'github', 'gitlab'],
  'forge/statuses.ts': ['gitlab'],
  'forge/pulls.ts': ['gitea', 'gitlab'], // forges
  'ci/plan-for-review.ts': ['github'],
  'controller/demo/platforms.ts': ['compose'], // the service that somebody changes by hand
  'controller/demo/postgres.ts': ['postgres'], // the user that runs it
  'controller/hooks/hook-event.ts': ['gitlab', 'tag'], // a forge, and a ref
  'cli/commands/controller-enrol.ts': ['github', 'gitlab'], // forges
  'controller/hooks/hook-request.ts': ['github', 'gitlab'], // forges
  'controller/hooks/hooks.ts': ['github'], // a forge
  'controller/hooks/signature.ts': ['github', 'gitlab'], // forges
  'controller/records/sources.ts': ['github', 'gitlab'], // forges
  'controller/schema.ts': ['github', 'gitlab'], // forges
  'kind/foreign-words.ts': ['port', 'schedule'], // fields
  'export/compose-files.ts': ['organization'], // a file
  'export/new-manifest.ts': ['organization'],
  'state/conformance/states.ts': ['redis'], // records of made-up resources
  'trace/traced-send.ts': ['server'], // attributes of a span
  'cli/commands/status.ts': ['server'], // a failure
};

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What breaks the borders, one line each. */
function violations(files: readonly SourceFile[]): string[] {
  const found: string[] = [];
  const names = kinds.flatMap((kind) => [kind.kind]);
  for (const { path, text } of files) {
    const place = placeOf(path);
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
    if (!order.includes(place)) found.push(`${path}: ${place} has no place in the order`);
    for (const imported of importsOf(code)) {
      if (imported.startsWith('.')) {
        const target = relative(source, resolve(source, dirname(path), imported));
        const targetPlace = placeOf(target);
        const mayImport =
          targetPlace === place ||
          (narrow[place]?.includes(targetPlace) ?? order.indexOf(targetPlace) < order.indexOf(place));
        if (!mayImport) found.push(`${path} imports ${target}`);
        if (place === 'render' && target === 'plan/action.ts')
          found.push(`${path} imports ${target}: views take documents`);
        if (targetPlace === 'resources' && kindless.includes(place) && !['cli', 'library', 'exports'].includes(place)) {
          found.push(`${path} imports ${target}: kinds arrive as an argument`);
        }
      } else if (pure.includes(place) && /^(node:|undici)/.test(imported)) {
        found.push(`${path} imports ${imported}: it only computes`);
      }
    }
    if (kindless.includes(place)) {
      for (const name of names) {
        if (namesakes[path]?.includes(name) === true) continue;
        if (new RegExp(`['"\`]${name}['"\`.]`).test(code)) found.push(`${path} names the kind ${name}`);
      }
    }
    const touches =
      /\bprocess\.\w|\bconsole\.|\bDate\.now\(|new Date\(\)|Math\.random|\bsetTimeout\(|from 'node:(fs|net|http|os|child_process|crypto)|from 'undici\b|\bfetch\(|import\('(pg|undici)'\)/;
    // The formats of a command stand above its definition; the command line chooses one by its name, and no work asks which it is.
    const asks = path.startsWith('cli/commands/')
      ? /isJson|'json'|defineCommand\([\s\S]*(?:jsonView|Json\()/
      : /isJson|'json'|-json\.ts'|json\w*[^;']*'[^']*\/render\//i;
    if (place === 'cli' && asks.test(code)) found.push(`${path} asks for a format`);
    // A bundle lies at another depth than the module. These have a bundle of their own, or give way to what it holds.
    // One only says from where a package is resolved.
    const isFixed = ['ci/main.ts', 'project/version.ts', 'controller/queue.ts'].includes(path);
    if (!isFixed && /\bimport\.meta\b/.test(code)) found.push(`${path} depends on its place`);
    const isFree = ['cli', 'ci', 'emulator'].includes(place) || path.startsWith(conformance) || worldly.includes(path);
    if (!isFree && touches.test(code)) found.push(`${path} touches the world: ${touches.exec(code)?.[0] ?? ''}`);
  }
  return found;
}

/** The folder of the order in which a file stands; its path is relative to src. */
function placeOf(path: string): string {
  return path.startsWith('../scripts/docs/') ? 'scripts/docs' : (path.split('/')[0] ?? '');
}

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap((match) => match[1] ?? []);
}

function sourceFiles(): SourceFile[] {
  return ['', '../scripts/docs'].flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') })),
  );
}

test('every file keeps to the borders', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(100);
  expect(violations(files)).toEqual([]);
});

test.each([
  ['plan/x.ts', "import { apply } from '../apply/apply-run.ts';", 'imports apply/apply-run.ts'],
  ['observe/x.ts', "import { kinds } from '../resources/index.ts';", 'kinds arrive as an argument'],
  ['plan/x.ts', "if (action.kind.kind === 'postgres') return;", 'names the kind postgres'],
  ['apply/x.ts', "await client.invoke('compose.update', {});", 'names the kind compose'],
  ['render/x.ts', "import { readFileSync } from 'node:fs';", 'it only computes'],
  ['plan/x.ts', 'const now = Date.now();', 'touches the world'],
  ['plan/x.ts', 'const now = new Date();', 'touches the world'],
  ['plan/x.ts', "const page = new URL('../../docs/x.md', import.meta.url);", 'depends on its place'],
  ['cli/x.ts', "if (options.format === 'json') return;", 'asks for a format'],
  ['cli/x.ts', "import { diagnosticJson } from '../render/diagnostics-json.ts';", 'asks for a format'],
  ['cli/x.ts', "import { errorDocument } from '../render/diagnostics-json.ts';", 'asks for a format'],
  ['cli/x.ts', "import * as views from '../render/diagnostics-json.ts';", 'asks for a format'],
  ['cli/x.ts', "export { errorDocument } from '../render/diagnostics-json.ts';", 'asks for a format'],
  ['cli/x.ts', "const views = await import('../render/diagnostics-json.ts');", 'asks for a format'],
  ['cli/x.ts', "import { type View, jsonView } from '../render/format.ts';", 'asks for a format'],
  ['cli/commands/x.ts', "if (format === 'json') return;", 'asks for a format'],
  ['cli/commands/x.ts', 'defineCommand({ execute: () => printJson(screen, {}) });', 'asks for a format'],
  ['cli/commands/x.ts', 'defineCommand({ formats });\nconst view = jsonView(screen);', 'asks for a format'],
  ['render/x.ts', "import type { Plan } from '../plan/action.ts';", 'views take documents'],
  ['emulator/x.ts', "import type { Kind } from '../kind/kind.ts';", 'imports kind/kind.ts'],
  ['render/x.ts', "import { page } from '../../scripts/docs/markdown.ts';", 'imports ../scripts/docs/markdown.ts'],
  ['../scripts/docs/x.ts', "import { plan } from '../../src/workflow/make-plan.ts';", 'imports workflow/make-plan.ts'],
  ['../scripts/docs/x.ts', "import { readFileSync } from 'node:fs';", 'it only computes'],
  ['helpers/x.ts', 'export const x = 1;', 'has no place in the order'],
  ['state/x.ts', "import { writeFileSync } from 'node:fs';", 'touches the world'],
])('a violation in %s is found', (path, text, message) => {
  expect(violations([{ path, text }])).toContainEqual(expect.stringContaining(message));
});

test('each command is one file, and one line of the table; nothing else defines one', () => {
  const names = commands.map(([usage]) => nameIn(usage).replace(' ', '-'));
  const files = sourceFiles();
  const table = files.find(({ path }) => path === 'cli/commands/index.ts')?.text ?? '';
  expect([...table.matchAll(/import\('\.\/([\w-]+)\.ts'\)/g)].map(([, name]) => name)).toEqual(names);
  const defining = (word: RegExp) => files.filter(({ text }) => word.test(text)).map(({ path }) => path);
  expect(defining(/^export const command(?:: Group)? = /m)).toEqual(
    names.map((name) => `cli/commands/${name}.ts`).toSorted(),
  );
  const inCommands = readdirSync(join(source, 'cli/commands')).map((name) => `cli/commands/${name}`);
  expect(inCommands.filter((path) => !defining(/^export const command\b/m).includes(path))).toEqual([
    'cli/commands/index.ts',
  ]);
  // commander is for one file, and its errors for another.
  expect(defining(/^import \{[^}]*\} from 'commander'/m)).toEqual(['cli/command-line.ts', 'cli/program.ts']);
});

test('the list of files with side effects names only files that have some', () => {
  const present = sourceFiles().map((file) => file.path);
  expect(worldly.filter((path) => !present.includes(path))).toEqual([]);
});

test('the table of folders in ARCHITECTURE.md has every folder, in the order of the borders', () => {
  const page = readFileSync(resolve(source, '../ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = page.split(/^\| folder .*\n.*\n/m);
  const rows = table.split('\n\n')[0]?.split('\n') ?? [];
  const folders = rows.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(folders).toEqual(order);
});

/** Groups of files that import each other in a circle, types included. What is loaded when it is needed makes none. */
function circles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(([, name = '']) =>
        relative(source, resolve(source, dirname(path), name)),
      ),
    ]),
  );
  const reaches = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const next of imports.get(path) ?? []) if (!seen.has(next) && seen.add(next)) open.push(next);
    }
    return seen;
  };
  const reached = new Map(files.map(({ path }) => [path, reaches(path)]));
  const inCircle = files.map(({ path }) => path).filter((path) => reached.get(path)?.has(path) === true);
  const groups = inCircle.map((path) =>
    inCircle.filter((one) => reached.get(path)?.has(one) && reached.get(one)?.has(path)),
  );
  return groups.filter(([first], at) => first === inCircle[at]);
}

test('no files import each other in a circle', () => {
  const [a, b] = ["import { b } from './b.ts';", "import type { A } from './a.ts';"];
  const c = "import { b } from './b.ts';";
  const made = { 'plan/a.ts': a, 'plan/b.ts': b, 'plan/c.ts': c };
  expect(circles(Object.entries(made).map(([path, text]) => ({ path, text })))).toEqual([['plan/a.ts', 'plan/b.ts']]);
  expect(circles(sourceFiles())).toEqual([]);
});

/** The files, but for some, that call a function, with the number of calls. */
function callsOf(name: string, but: readonly string[]): Record<string, number> {
  const calls = sourceFiles().map(({ path, text }) => {
    const found = [...text.matchAll(new RegExp(`(?<!function )\\b${name}\\(`, 'g'))];
    return [path, found.length] as const;
  });
  return Object.fromEntries(calls.filter(([path, count]) => count > 0 && !but.includes(path)));
}

test('values are compared by the judge, and where there is nothing to judge yet or any more', () => {
  const judges = ['plan/standing.ts', 'kind/codecs.ts', 'state/stored.ts'];
  expect(callsOf('matchesStored', judges)).toEqual({});
  expect(callsOf('means', judges)).toEqual({
    'kind/attribute.ts': 1, // two rows
    'kind/row-values.ts': 1, // a new row beside what a create says by itself
    'plan/row-verdict.ts': 2, // a row that was read again, during the apply
    'apply/fill-members.ts': 1, // a value that is known only now
    'export/block.ts': 2, // a row beside what would be written
  });
  expect(callsOf('resolveField', ['manifest/fields.ts'])).toEqual({
    'plan/standing.ts': 1,
    'plan/plan-facts.ts': 1, // the rest: members of requests, which are no attributes
    'apply/announce.ts': 1,
    'apply/fill-members.ts': 2,
    'operate/eval-text.ts': 1,
  });
});

test('YAML of others is parsed in one place, which refuses what nests too deeply', () => {
  const parsing = sourceFiles().filter(({ path, text }) => {
    const names = [...text.matchAll(/^import \{([^}]*)\} from 'yaml';/gm)].flatMap(([, list = '']) =>
      list.split(/[ ,]+/),
    );
    return !path.startsWith('..') && names.some((name) => /^(?:parse\w*|Lexer|Parser|Composer)$/.test(name));
  });
  expect(parsing.map(({ path }) => path)).toEqual([
    'edit/format-yaml.ts', // tokens of a text that was read before
    'emulator/compose-text.ts', // shares nothing with the kinds
    'emulator/docker-yaml.ts', // what the platform wrote, as docker reads it
    'formats/yaml.ts',
  ]);
});

/** The files that tests are named after: of the source and of the scripts, and what stands at the root of the project. */
function namesOfTests(): ReadonlySet<string> {
  const root = resolve(source, '..');
  const below = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => path.replace(/\.ts$/, ''));
  const atRoot = readdirSync(root).map((name) => name.toLowerCase().replace(/\.md$/, ''));
  return new Set([...below('src'), ...below('scripts'), ...atRoot]);
}

/** The tests that bear the name of no file: `plan/plan-file.text.test.ts` is about `plan/plan-file.ts`. */
function withoutSource(tests: readonly string[], names = namesOfTests()): string[] {
  return tests.filter((path) => {
    const about = join(dirname(path), basename(path).split('.')[0] ?? '');
    return !/^(scenarios|security|browser)\//.test(path) && !names.has(about);
  });
}

test('a test bears the name of the file that it is about, or is a scenario or an attack', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const files = tests.filter((path) => path.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(100);
  expect(withoutSource(files)).toEqual([]);
  const wrong = ['plan/nowhere.test.ts', 'nothing.test.ts', 'scenario.test.ts'];
  const right = ['plan/plan-file.text.test.ts', 'docs/markdown.test.ts', 'readme.test.ts', 'scenarios/nowhere.test.ts'];
  expect(withoutSource([...wrong, ...right])).toEqual(wrong);
});
