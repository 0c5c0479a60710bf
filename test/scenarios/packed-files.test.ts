import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** What `npm pack` takes of a clone in which somebody worked, and what it prints. */

const root = join(import.meta.dirname, '../..');
const clone = mkdtempSync(join(tmpdir(), 'trueup-packed-'));
afterAll(() => rmSync(clone, { recursive: true }));

for (const path of ['package.json', '.npmrc', '.gitignore', 'deploy', 'examples/hello', 'README.md'])
  cpSync(join(root, path), join(clone, path), { recursive: true });

function put(path: string): string {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), 'a secret');
  return path;
}

const filesOf = (): readonly string[] => {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: clone,
    encoding: 'utf8',
  });
  const [{ files } = { files: [] }] = JSON.parse(told) as { readonly files: readonly { readonly path: string }[] }[];
  return files.map(({ path }) => path);
};

test('takes neither the secrets of a controller, nor a state, nor a log', () => {
  const left = [
    put('deploy/secrets/state-key'),
    put('deploy/keys/paris'),
    put('deploy/.env'),
    put('deploy/debug.log'),
    put('examples/hello/.trueup/state.json'),
    put('examples/hello/.trueup/state.key'),
  ];
  const files = filesOf();
  expect(files.filter((path) => left.includes(path))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'deploy/compose.yaml',
      'deploy/kubernetes.yaml',
      'examples/hello/trueup.yaml',
      'package.json',
    ]),
  );
});

test('git leaves the secrets of a controller out, too', () => {
  execFileSync('git', ['init', '--quiet', clone]);
  const ignored = ['deploy/secrets/state-key', 'deploy/keys/paris', 'examples/hello/.trueup/state.json'];
  const told = execFileSync('git', ['check-ignore', ...ignored], { cwd: clone, encoding: 'utf8' });
  expect(told.trim().split('\n')).toEqual(ignored);
});

test('prints the name of its file alone, which a program that calls it reads', () => {
  const about = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { readonly scripts: object };
  const scripts = { ...about.scripts, prepack: 'echo built' };
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ ...about, scripts }));
  const told = execFileSync('npm', ['pack'], { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  expect(told).toMatch(/^trueup-\d+\.\d+\.\d+\.tgz\n$/);
});
