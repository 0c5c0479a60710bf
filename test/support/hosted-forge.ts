import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Repository as ForgeRepository } from '../../src/forge/repository.ts';
import { repositoryAt } from '../../src/forge/repository-at.ts';
import { forgeToken } from './fake-forge.ts';
import { type Repository, beginBranch, commitAll, hostRepository } from './hosted-repository.ts';
import { hostForge } from './hosting-forge.ts';

/** The word that sources have for a forge. */
export const wordOf = (name: ForgeRepository['name']) => (name === 'gitea' ? 'forgejo' : name);

/** A forge with a repository that has one commit with some files, until the test ends. */
export async function hostedForge(
  name: ForgeRepository['name'],
  files: Readonly<Record<string, string>> = { 'README.md': 'x\n' },
) {
  const repository = hostRepository();
  write(repository, files);
  const head = commitAll(repository, 'First');
  beginBranch(repository, 'work');
  const server = await hostForge(name, repository.bare);
  onTestFinished(() => server.close());
  const where = repositoryAt({ url: server.address, forge: wordOf(name) });
  return { server, repository, head, forge: { ...where, token: forgeToken } };
}

/** Writes files into the clone of a repository. */
export function write({ clone }: Repository, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }
}
