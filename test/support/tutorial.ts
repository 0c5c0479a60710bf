import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { serveForge, forgeToken } from './fake-forge.ts';
import { freePort } from './free-port.ts';
import { continued, endOf, expectLines, partsOf } from './page-parts.ts';
import type { Event, JobRun, Product } from './pipelines.ts';
import { git, hostRepository, mergeBranch } from './hosted-repository.ts';
import { imageOf, runPipeline, runScript } from './pipelines.ts';
import { serveS3 } from './s3-server.ts';
import { root } from './samples.ts';
import { serveProgram } from './warm-program.ts';
import { isAll } from './whole.ts';

/**
 * Runs docs/tutorial.md: each block of commands in a shell, and the jobs that it starts on a forge. Each block of text must
 * stand, line by line and in this order, in what the block before it printed: by its commands, in comments, and in the
 * logs of jobs. A job fails only where the page says so.
 */

const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8');

/** The program `gh`, which asks the forge of this test. */
const gh = `#!/usr/bin/env node
import { readFileSync } from 'node:fs';
const [, , ...words] = process.argv;
const input = words[0] === 'secret' ? readFileSync(0, 'utf8').trim() : '';
const body = JSON.stringify({ words, input, folder: process.cwd() });
const response = await fetch(process.env.GH_OF_TEST, { method: 'POST', body });
process.stdout.write(await response.text());
process.exitCode = response.status === 200 ? 0 : 1;
`;

/** The environment of the shell of a page: the program, and git without the settings of this machine. */
function shellOfPage(product: Product): Record<string, string> {
  const [name, email] = ['ops', 'ops@example.test'];
  return {
    ...imageOf(product),
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
}

/** GitHub, with a repository and its settings: the jobs that ran there, and the answers to `gh`. */
async function serveGitHub(product: Product) {
  const forge = await serveForge('github');
  const { bare } = hostRepository();
  const settings: Record<string, Record<string, string>> = { '': { TRUEUP_FORGE_TOKEN: forgeToken } };
  const pulls = new Map<string, { readonly number: number; isOpen: boolean }>();
  const runs: JobRun[] = [];

  async function happens(event: Event): Promise<void> {
    runs.push(...(await runPipeline({ name: 'github', forge, bare, settings, ...product }, event)));
  }

  /** Answers a command of `gh`. @throws {Error} for one that the page does not need. */
  async function answerGh(words: readonly string[], input: string, folder: string): Promise<string> {
    const option = (name: string) => words[words.indexOf(name) + 1] ?? '';
    const branch = () => git(folder, 'branch', '--show-current');
    const pull = () => pulls.get(branch()) ?? { number: 0, isOpen: false };
    switch (words.slice(0, 2).join(' ')) {
      case 'repo create':
        git(folder, 'remote', 'add', 'origin', bare);
        return '';
      case 'variable set':
      case 'secret set': {
        const value = words[0] === 'secret' ? input : option('--body');
        settings[option('--env')] = { ...settings[option('--env')], [words[2] ?? '']: value };
        return '';
      }
      case 'pr create': {
        const number = pulls.size + 1;
        pulls.set(branch(), { number, isOpen: true });
        await happens({ is: 'pull request', number, branch: branch() });
        return `https://github.com/ops/shop-infra/pull/${number}\n`;
      }
      case 'pr view': {
        const comments = forge.comments.get(pull().number) ?? [];
        expect(comments).toHaveLength(1);
        return comments.map(({ body }) => body).join('\n');
      }
      case 'pr merge': {
        const { number } = pull();
        pulls.set(branch(), { number, isOpen: false });
        forge.merged.set(mergeBranch(bare, branch(), 'squash'), number);
        await happens({ is: 'push' });
        return '';
      }
      case 'workflow run': {
        const [, command = ''] = option('--field').split('=');
        await happens({ is: 'dispatch', inputs: { command, allow: '' } });
        return '';
      }
      default:
        throw new Error(`gh ${words.join(' ')}`);
    }
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { words, input, folder } = JSON.parse(Buffer.concat(parts).toString()) as {
        words: readonly string[];
        input: string;
        folder: string;
      };
      answerGh(words, input, folder).then(
        (text) => response.end(text),
        (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    forge,
    bare,
    pulls,
    runs,
    happens,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await Promise.all([forge.close(), new Promise((done) => server.close(done))]);
    },
  };
}

/** Follows the page from its first line to the last plan, with a built program and its Node. Gives the number of its blocks. */
export async function followTutorial(product: Product): Promise<number> {
  // What a person types starts processes; of jobs that do, pipelines.test.ts asks.
  const warm = await serveProgram();
  const inJobs = isAll ? product : { ...product, node: warm.node };
  const [github, store, port] = await Promise.all([serveGitHub(inJobs), serveS3(['states']), freePort()]);
  const place = mkdtempSync(join(tmpdir(), 'trueup-tutorial-'));
  try {
    return await follow({
      product,
      github,
      place,
      here: (text) => text.replaceAll('4050', String(port)).replaceAll('http://127.0.0.1:9000', store.url),
    });
  } finally {
    endOf(place, 'PLATFORM');
    await Promise.all([github.close(), store.close(), warm.close()]);
  }
}

async function follow(about: {
  readonly product: Product;
  readonly github: Awaited<ReturnType<typeof serveGitHub>>;
  readonly place: string;
  /** Puts the addresses of this test in place of those of the page. */
  readonly here: (text: string) => string;
}): Promise<number> {
  const { product, place, here } = about;
  const { forge, bare, pulls, runs, happens, url } = about.github;
  mkdirSync(join(place, 'path'));
  writeFileSync(join(place, 'path/gh'), gh);
  writeFileSync(join(place, 'path/package.json'), '{ "type": "module" }');
  chmodSync(join(place, 'path/gh'), 0o755);
  const image = shellOfPage(product);
  const env = {
    ...image,
    PATH: `${join(place, 'path')}:${image['PATH'] ?? ''}`,
    TRUEUP_HOME: resolve(dirname(product.program), '..'),
    GH_OF_TEST: url,
  };
  /** Runs commands in the shell of the page: variables and the folder stay from block to block. */
  const inShell = (commands: string) => runScript(continued(here(commands), place), { folder: place, env });
  const mainOf = () => (git(bare, 'for-each-ref', 'refs/heads/main') === '' ? '' : git(bare, 'rev-parse', 'main'));
  const headOf = (branch: string) => git(bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);

  const [needs = ''] = page.split(/^## /m);
  expect(needs).toContain('export TRUEUP_HOME=');
  const parts = partsOf(page);
  for (const { commands, prose, expected } of parts) {
    const [main, heads] = [mainOf(), new Map([...pulls.keys()].map((branch) => [branch, headOf(branch)]))];
    const [mergedBefore, runsBefore] = [forge.merged.size, runs.length];
    // A push comes before what is printed after it.
    const pushes = /git push -q$/m.test(commands);
    const [first = '', second = ''] = pushes ? commands.split(/(?<=git push -q)\n/) : [commands];
    const ran = await inShell(first);
    expect(ran, commands).toEqual({ code: 0, out: ran.out });
    for (const [branch, head] of heads) {
      const pull = pulls.get(branch);
      if (pull?.isOpen === true && headOf(branch) !== head) {
        await happens({ is: 'pull request', number: pull.number, branch });
      }
    }
    if (mainOf() !== main && forge.merged.size === mergedBefore) await happens({ is: 'push' });
    const after = second === '' ? { code: 0, out: '' } : await inShell(second);
    expect(after, second).toEqual({ code: 0, out: after.out });
    const started = runs.slice(runsBefore);
    const fails = started.filter(({ code }) => code !== 0);
    expect(fails.length, JSON.stringify(fails)).toBe(prose.includes('The job fails') ? 1 : 0);
    const all = [ran.out, ...started.flatMap(({ log, summary }) => [log, summary]), after.out];
    expectLines(all.join('\n'), expected);
    expect(all.join('\n')).not.toContain('Warning:');
  }
  expect(git(bare, 'log', '--format=%s', 'main').split('\n')).toHaveLength(4);
  expect(runs.map(({ job, code }) => `${job} ${code}`)).toEqual([
    'apply 0', // the first push
    'plan 0',
    'plan 0', // the second push
    'apply 0',
    'drift 2',
    'plan 0', // accepted
    'apply 0',
    'drift 0',
    'plan 0', // adopted
    'apply 0',
    'plan 0', // put back
    'apply 0',
  ]);
  return parts.length;
}
