import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { root as topOfAll } from '../src/kind/kind.ts';
import { kinds } from '../src/resources/index.ts';
import { settingsShape } from '../src/manifest/settings-shape.ts';
import { expressionSources } from '../src/manifest/sources/all.ts';
import { bench } from './support/world.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The rows of a table in a page: the first cell of each. */
function firstCells(page: string, after: string): string[] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const [, part = ''] = text.split(after);
  const rows = part.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => line.split(' | ')[0]?.replace(/^\| /, '').trim() ?? '');
}

test('every case that the page of deployments promises is a test of that name', () => {
  const tests = readFileSync(new URL('apply/deploy.test.ts', import.meta.url), 'utf8');
  const cases = firstCells('deployments.md', '## Case by case');
  expect(cases.length).toBeGreaterThan(15);
  expect(cases.filter((title) => !tests.includes(`'${title.replace(/takes \d+ s/, 'takes %d s')}'`))).toEqual([]);
});

test('every test that the page of recovery names is there', () => {
  const text = readFileSync(new URL('../docs/recovery.md', import.meta.url), 'utf8');
  const named = [...text.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(7);
  expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
});

test('the page of the manifest has every key, every source of expressions and every variable', () => {
  const page = read('docs/manifest.md');
  const tops = kinds.filter(({ parents: { [topOfAll]: link } }) => link !== undefined);
  expect(tops.map(({ section }) => section).filter((section) => !page.includes(`\`${section}\``))).toEqual([]);
  for (const key of Object.keys(settingsShape)) expect(page, key).toMatch(new RegExp(`^\\| \`${key}\``, 'm'));
  for (const { name } of expressionSources) expect(page, name).toContain(`| \`\${${name}:`);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const names = new Set(
    sources.flatMap((path) => [...read(join('src', path)).matchAll(/\bTRUEUP_[A-Z_]*[A-Z]\b/g)].map(String)),
  );
  expect(names.size).toBeGreaterThan(8);
  // Those of the controller are no matter of a manifest.
  const pages = page + read('docs/commands.md');
  const isExample = (name: string) => /^TRUEUP_(?:SECRET|VAR)_/.test(name) || name === 'TRUEUP_CLEARTEXT_PASSWORD';
  expect([...names].filter((name) => !isExample(name) && !pages.includes(`\`${name}\``))).toEqual([]);
});

test('the manifest on the page of the manifest is planned', async () => {
  const text = /```yaml\n([\s\S]*?)```/.exec(read('docs/manifest.md'))?.[1] ?? '';
  const made = bench();
  made.secrets.CACHE_PASSWORD = 'correct-horse-battery';
  const { actions, diagnostics } = await made.plan(
    text.replace(/^platform: .*$/m, 'platform: emulator').replace(/^moved:\n.*\n/m, ''),
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(actions.map(({ address }) => address)).toContain('production.compose.site');
});

test('the page of the dashboard has every section, in the words of Dokploy, and its manifest is valid', async () => {
  const page = read('docs/dashboard.md');
  const named = new Set([...page.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.split(/[.<>\s:]+/)));
  expect(kinds.map(({ section }) => section).filter((section) => !named.has(section))).toEqual([]);
  const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const made = bench();
  Object.assign(made.secrets, {
    DEPLOY_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
    GIT_CLIENT: 'correct-horse-1',
    SHOP_DB_PASSWORD: 'correct-horse-1',
  });
  const { resources } = await made.manifest(text);
  expect(resources.map(({ address }) => address)).toContain('production.application.web.domains["shop.example.com"]');
});

/** The anchors of the headings of a page, as forges make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = read(page)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  const anchors = [...headings].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(anchors);
}

const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
);
const all = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...docs.map((path) => join('docs', path)),
];

test('every row of a table has the cells of its head: a bar in a cell is escaped', () => {
  const uneven = all.flatMap((page) => {
    const lines = read(page)
      .replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1$/gm, '')
      .split('\n');
    const bars = lines.map((line) => (line.startsWith('|') ? line.replaceAll('\\|', '').split('|').length : 0));
    return lines
      .filter((_, at) => bars[at] !== 0 && bars[at - 1] !== 0 && bars[at] !== bars[at - 1])
      .map((line) => [page, line.slice(0, 80)]);
  });
  expect(uneven).toEqual([]);
});

test('the index lists every page, and every link of every page leads to a file and to a heading of it', () => {
  const index = read('docs/README.md');
  const top = docs.filter((path) => !path.includes('/') && path !== 'README.md');
  expect(top.filter((path) => !index.includes(`](${path})`))).toEqual([]);
  const links = all.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]*))?\)/g)].map(([, path = '', anchor]) => ({
      page,
      to: path === '' ? page : join(dirname(page), path),
      anchor,
    })),
  );
  expect(links.filter(({ to }) => !existsSync(join(root, to)))).toEqual([]);
  const anchored = links.filter(({ to, anchor }) => anchor !== undefined && to.endsWith('.md'));
  expect(anchored.length).toBeGreaterThan(100);
  expect(anchored.filter(({ to, anchor = '' }) => !anchorsOf(to).has(anchor))).toEqual([]);
});
