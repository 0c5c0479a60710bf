import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { contracts } from '../src/api/contract.ts';
import { kindsThere } from '../src/kind/kinds-on.ts';
import { exitCodes } from '../src/render/exit-codes.ts';
import { kinds } from '../src/resources/index.ts';
import { trueup } from './cli/process.ts';
import { bench } from './support/world.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const commands = read('docs/commands.md');

test('the README has at most 10,000 bytes, and its two set-up commands near the top', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_000);
  expect(readme.slice(0, 1_200)).toMatch(/```sh\nnpm ci && npm run demo .*\nnpm ci && npm test .*\n```/);
});

test('the manifest of the README is applied, plans nothing, and is destroyed', async () => {
  const text = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(text).toContain('trueup: 1');
  const made = bench();
  made.secrets.SHOP_DB_PASSWORD = 'correct-horse-battery';
  const result = await made.apply(text);
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  made.requests('POST');
  const again = await made.plan(text);
  expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await made.apply(text);
  expect(made.requests('POST')).toEqual([]);
  await made.destroy(text);
  expect(made.store.state?.resources).toEqual({});
});

test('the commands of its ten minutes do what the README says beside them', async () => {
  const [, steps = ''] = readme.split('## Ten minutes');
  const [, variable = '', value = ''] = /^export (\w+)=(.*)$/m.exec(steps) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'trueup-readme-'));
  writeFileSync(join(folder, 'trueup.yaml'), /```yaml\n([\s\S]*?)```/.exec(steps)?.[1] ?? '');
  const commands = [...steps.matchAll(/^npx trueup -C DIR ([^#\n]*?) *(?:# (.*))?$/gm)];
  expect(commands.map(([, command]) => command?.split(' ')[0])).toEqual(['plan', 'apply', 'plan', 'destroy']);
  for (const [, command = '', says = ''] of commands) {
    const { code, out, err } = await trueup(['-C', folder, ...command.split(' ')], { env: { [variable]: value } });
    expect(out + err).toContain(says);
    expect(code, command).toBe(0);
  }
});

test('the exit codes of the page of commands are those of the program', () => {
  const told = [...commands.matchAll(/^\| *(\d+) *\| /gm)].map(([, code]) => Number(code));
  const real = Object.values(exitCodes).map(({ code }) => code);
  expect(told.toSorted((a, b) => a - b)).toEqual(real.toSorted((a, b) => a - b));
});

test('the page of the manifest lists each section, with a star where it needs more than the API document', () => {
  const [, table = ''] = /^\| section [^]*?\n\n/m.exec(read('docs/manifest.md'))?.[0].split(/-\s*\|\n/) ?? [];
  const told = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/`\w+`(?:\\\*)?/g) ?? []);
  const documented = new Set(kindsThere(kinds, contracts.standard).map(({ section }) => section));
  const sections = new Set(kinds.map(({ section }) => section));
  const real = [...sections].map((section) => `\`${section}\`${documented.has(section) ? '' : String.raw`\*`}`);
  expect([...new Set(told)].toSorted()).toEqual(real.toSorted());
});

test('every file that the README and ARCHITECTURE link to is there', () => {
  for (const document of ['README.md', 'ARCHITECTURE.md']) {
    const text = read(document);
    for (const [, path] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(join(root, path ?? '')), path).toBe(true);
    }
  }
});
