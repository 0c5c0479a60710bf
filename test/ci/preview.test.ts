import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { runCi } from '../../src/ci/run-ci.ts';
import { project } from '../cli/process.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, runnerOf, serveForge } from '../support/fake-forge.ts';
import { processOfTest } from '../support/process.ts';

/** A program in the place of `trueup`: asks the program that started it before it notes that it wrote. */
const stub = `
import { appendFileSync } from 'node:fs';
const [, , command, ...words] = process.argv;
const note = (text) => appendFileSync('../calls', text + '\\n');
if (command === 'output') {
  const value = (text, sensitive = false) => ({ value: text, sensitive });
  const outputs = { site: value('https://site-pr-7.example.com/a'), odd: value('https://[x](y)'), key: value('(sensitive)', true) };
  console.log(JSON.stringify({ format: 'trueup/outputs', version: 1, outputs }));
} else if (words[0] === 'list') {
  note([command, ...words].join(' '));
  const previews = [1, 4, 8, 12, 'feature-x'].map((id) => ({ id: String(id), environment: 'pr-' + id, applied: '2026-01-01T00:00:00.000Z', until: null }));
  console.log(JSON.stringify({ format: 'trueup/previews', version: 1, previews, strays: [], removed: [], failed: [] }));
} else if (command === 'destroy' && process.env.NOTHING === 'there') {
  note([command, ...words].join(' '));
} else if (process.env.TRUEUP_APPROVAL === 'parent') {
  process.once('message', (answer) => {
    note((answer === 'trueup: yes' ? '' : 'not ') + [command, ...words].join(' '));
    console.log(answer === 'trueup: yes' ? 'done' : 'Nothing was applied.');
    process.exitCode = answer === 'trueup: yes' ? Number(process.env.CODE ?? 0) : 1;
  });
  process.send('trueup: may this be applied?');
} else note([command, ...words].join(' '));
`;

const [head, later] = ['a'.repeat(40), 'b'.repeat(40)];
const open: FakeForge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((forge) => forge.close()));
});

interface Case {
  readonly name?: Forge['name'];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly isFork?: boolean;
  /** No pull request started the run. */
  readonly byHand?: boolean;
  /** The pull requests of the forge. */
  readonly pulls?: Readonly<Record<number, { isOpen: boolean; head: string }>>;
  /** Happens before the answer to the request of this number for pull requests, from 1. */
  readonly before?: (count: number, forge: FakeForge) => number | undefined;
}

async function preview({ name = 'github', args = ['--var', 'tag=1'], isFork = false, byHand = false, ...more }: Case) {
  const forge = await serveForge(name);
  open.push(forge);
  for (const [number, pull] of Object.entries(more.pulls ?? { 7: { isOpen: true, head } }))
    forge.pulls.set(Number(number), { ...pull });
  let count = 0;
  forge.fault = (_method, path) =>
    /\/(pulls|merge_requests)(\/\d+)?$/.test(path) ? more.before?.(++count, forge) : undefined;
  const folder = project({ 'repository/infra/preview.yaml': '', 'trueup.mjs': stub, calls: '' });
  const cwd = join(folder, 'repository');
  mkdirSync(join(cwd, '.git'));
  execFileSync('git', ['init', '-q'], { cwd });
  const side = (fork: boolean) => ({ repo: { full_name: fork ? 'fork/infra' : 'shop/infra' } });
  const event = byHand ? {} : { pull_request: { number: 7, head: { ...side(isFork), sha: head }, base: side(false) } };
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
  const ofRun =
    name === 'gitlab'
      ? {
          CI_COMMIT_SHA: head,
          ...(byHand
            ? { CI_PIPELINE_SOURCE: 'web' }
            : {
                CI_PIPELINE_SOURCE: 'merge_request_event',
                CI_MERGE_REQUEST_IID: '7',
                CI_MERGE_REQUEST_PROJECT_ID: '12',
                CI_MERGE_REQUEST_SOURCE_PROJECT_ID: isFork ? '99' : '12',
              }),
        }
      : {
          GITHUB_SHA: 'c0ffee',
          GITHUB_EVENT_NAME: byHand ? 'workflow_dispatch' : 'pull_request',
          GITHUB_EVENT_PATH: join(folder, 'event.json'),
        };
  const env = { ...runnerOf(name, forge.url), TRUEUP_FORGE_TOKEN: forgeToken, ...ofRun, ...more.env };
  const process = processOfTest({ args: ['preview', '-C', 'infra', '-f', 'preview.yaml', ...args], env, cwd });
  const argv = [globalThis.process.execPath, 'trueup-ci', ...process.argv.slice(2)];
  const code = await runCi(Object.assign(process, { argv }), join(folder, 'trueup.mjs'));
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean);
  return { code, ...process.printed, calls, comments: forge.comments.get(7)?.map(({ body }) => body) ?? [] };
}

const place = '--directory=infra --file=preview.yaml';
const applied = `apply --auto-approve --preview=7 ${place} --var=tag=1`;
const removed = `destroy --auto-approve --preview=7 ${place} --var=tag=1`;
const dependabot = { GITHUB_ACTOR: 'dependabot[bot]', TRUEUP_API_KEY: '' };
/** Changes the pull request between the question at the start and the one under the lock. */
const meanwhile = (change: Partial<{ isOpen: boolean; head: string }>) => (count: number, forge: FakeForge) => {
  const pull = forge.pulls.get(7);
  if (count === 2 && pull !== undefined) Object.assign(pull, change);
  return undefined;
};

describe.each(['github', 'gitlab', 'gitea'] as const)('the preview of a pull request on %s', (name) => {
  test('is applied, and its addresses are in one comment', async () => {
    const { comments, ...run } = await preview({ name });
    expect(run).toMatchObject({ code: 0, err: '', calls: [applied] });
    expect(comments).toEqual([
      expect.stringMatching(
        /^<!-- trueup:preview:[0-9a-f]{40} -->\n### Trueup: preview\n\n```text\n {2}done\n```\n\n- `site`: <https:/,
      ),
    ]);
    expect(comments[0]).toContain(
      `- \`site\`: <https://site-pr-7.example.com/a>\n- \`odd\`: \`https://[x](y)\`\n\nCommit ${head}.\n`,
    );
  });

  test.each<readonly [string, Case, readonly string[], string]>([
    ['closed: it is removed', { pulls: { 7: { isOpen: false, head } } }, [removed], 'done'],
    ['newer: nothing is applied', { pulls: { 7: { isOpen: true, head: later } } }, [], 'Nothing was applied: pull'],
    ['closed meanwhile', { before: meanwhile({ isOpen: false }) }, [`not ${applied}`], 'Nothing was applied: pull'],
    ['pushed to meanwhile', { before: meanwhile({ head: later }) }, [`not ${applied}`], 'Nothing was applied: pull'],
    [
      'opened again meanwhile',
      { pulls: { 7: { isOpen: false, head } }, before: meanwhile({ isOpen: true }) },
      [`not ${removed}`],
      'Nothing was removed: pull request 7 is open again.',
    ],
    ['of a fork', { isFork: true }, [], 'This pull request comes from a fork: it gets no preview.'],
    ['of Dependabot', { env: dependabot }, [], 'Dependabot started this run, and has no key: it gets no preview.'],
    ['of Dependabot, which has the key', { env: { ...dependabot, TRUEUP__PREVIEW__API_KEY: 'k' } }, [applied], 'done'],
    ['open, and --remove', { args: ['--remove'] }, [removed.replace(' --var=tag=1', '')], 'done'],
  ])('that is %s', async (_what, about, calls, said) => {
    const run = await preview({ name, ...about });
    expect(run).toMatchObject({ code: 0, err: '', calls, out: expect.stringContaining(said) });
  });

  test.each([1, 2])('is not written when the answer %d of the forge is an error', async (failing) => {
    const run = await preview({ name, before: (count) => (count === failing ? 503 : undefined) });
    expect(run).toMatchObject({ code: 1, calls: failing === 1 ? [] : [`not ${applied}`], comments: [] });
    expect(run.err).toContain('error: the forge answered 503 to GET ');
  });

  test.each<readonly [string, readonly string[], readonly string[], number, string]>([
    [
      'its commit',
      ['--number=7', `--commit=${head}`, '--no-wait'],
      [`apply --auto-approve --preview=7 ${place} --no-wait`],
      0,
      'done',
    ],
    ['another commit', ['--number=7', `--commit=${later}`], [], 0, 'Nothing was applied: pull request 7'],
    ['a short commit', ['--number=7', '--commit=aaaaaaa'], [], 1, 'needs its number and its whole commit'],
    ['no commit', ['--number=7', '--commit='], [], 1, 'needs its number and its whole commit'],
  ])('is started by hand for a number and %s', async (_what, args, calls, code, said) => {
    const run = await preview({ name, byHand: true, args });
    expect(run).toMatchObject({ code, calls });
    expect(run.out + run.err).toContain(said);
  });

  const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at + 1, { isOpen: at % 4 !== 3, head }]));
  const list = `preview list --format=json ${place}`;
  const pruned = `preview prune --closed=4,8,12 --auto-approve ${place}`;
  const close = (_count: number, forge: FakeForge) => void forge.pulls.delete(_count === 2 ? 1 : 0);

  test.each<readonly [string, Case, readonly string[], number, string]>([
    ['those that are closed', { pulls: many }, [list, pruned], 0, ''],
    ['those that are closed, while one closes and pages move', { pulls: many, before: close }, [list, pruned], 0, ''],
    ['nothing, where the forge has none', { pulls: {} }, [list], 0, 'Nothing was removed'],
    // One that is opened in between is in neither list.
    ['nothing, before the forge is asked', { pulls: many, before: () => 500 }, [list], 1, '500'],
    [
      'nothing, where a page is an error',
      { pulls: many, before: (count) => (count === 3 ? 500 : undefined) },
      [list],
      1,
      '500',
    ],
  ])('is pruned by a list of %s', async (_what, about, calls, code, said) => {
    const run = await preview({ name, byHand: true, args: ['--prune'], ...about });
    expect(run).toMatchObject({ code, calls });
    expect(run.out + run.err).toContain(said);
  });
});

test('the comment says that there was nothing to remove', async () => {
  const pulls = { 7: { isOpen: false, head } };
  const titles = await Promise.all(
    [{}, { NOTHING: 'there' }].map(async (env) => (await preview({ pulls, env })).comments.join('\n')),
  );
  expect(titles).toEqual([
    expect.stringContaining('### Trueup: preview removed'),
    expect.stringContaining('### Trueup: preview: there was nothing to remove'),
  ]);
});

test('a preview that fails is a comment, and keeps its exit code', async () => {
  const run = await preview({ env: { CODE: '4' } });
  expect(run).toMatchObject({ code: 4, comments: [expect.stringContaining('preview: apply ended with exit code 4')] });
});
