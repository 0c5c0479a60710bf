import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';

const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd, encoding: 'utf8' });

/** A platform with its key in a file, and a repository with one root file, for a controller. */
export async function controllerWorld(options: { readonly latencyMs?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-controller-'));
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, 'a-key-4711\n', { mode: 0o600 });
  const emulator = createEmulator({ apiKey: 'a-key-4711' });
  const platform = await serve(emulator, options);
  return {
    folder,
    repository,
    keyFile,
    emulator,
    url: platform.url,
    close: () => platform.close(),
    /** The requests so far that change something. */
    writes: () => emulator.log.filter(({ method }) => method === 'POST').length,
    /** Commits a manifest with so many services of an image, and gives the commit. */
    push: (image: string, services = 1) => {
      const names = Array.from({ length: services }, (_, at) => `cache-${at}`);
      const blocks = names.map((name) => `      ${name}: { dockerImage: "${image}", databasePassword: a }\n`).join('');
      const head = `trueup: 1\nplatform: { url: "${platform.url}" }\nproject: prj_1\n`;
      writeFileSync(join(repository, 'trueup.yaml'), `${head}environments:\n  production:\n    redis:\n${blocks}`);
      git(repository, 'add', '-A');
      git(repository, 'commit', '-q', '-m', image);
      return git(repository, 'rev-parse', 'HEAD').trim();
    },
  };
}

/** Waits until something holds, looking every 50 ms. */
export async function until(what: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const began = performance.now();
  while (!(await what())) {
    if (performance.now() - began > limitMs) throw new Error(`it does not come in ${limitMs} ms`);
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}
