import { mkdirSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { program, trueup } from '../cli/process.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, jobToken, serveForge } from '../support/fake-forge.ts';
import { beginBranch, commitAll, commitOf, git, hostRepository, mergeBranch } from '../support/hosted-repository.ts';
import type { Event, Hosted, JobRun } from '../support/pipelines.ts';
import { runPipeline } from '../support/pipelines.ts';
import type { S3Server } from '../support/s3-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';
import { serveProgram } from '../support/warm-program.ts';
import { effort, isAll } from '../support/whole.ts';

/** The life of a repository: its pull requests, merges and nights, by the pipeline files of each forge. */

const apiKey = 'api-key-canary-41aa';
const password = 'password-canary-77d2';

/** No log, page, comment or stored plan may hold one. */
const canaries = [apiKey, keyText, password, forgeToken, jobToken, secretOf('ci')];

describe.each([
  ['github', 'squash'],
  ['gitlab', 'rebase'],
  ['gitea', 'merge'],
] as const)('a repository on %s that merges by %s', (name: Forge['name'], how: 'merge' | 'squash' | 'rebase') => {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const printed: string[] = [];
  // The forge has no part in it: one is enough.
  const onOneForge = name === 'github' ? test : test.skip;
  // The pipelines run the same commands on each forge: one is enough, unless everything is tried.
  const onEachInAll = name === 'github' ? test : effort({ fast: test.skip, all: test });
  const repository = hostRepository();
  const { bare, clone } = repository;
  let [platform, store, forge, hosted]: [Awaited<ReturnType<typeof serve>>?, S3Server?, FakeForge?, Hosted?] = [];
  let warm: Awaited<ReturnType<typeof serveProgram>> | undefined;

  beforeAll(async () => {
    [platform, store, forge] = await Promise.all([serve(emulator), serveS3(['states']), serveForge(name)]);
    warm = await serveProgram();
    const settings = {
      TRUEUP_URL: platform.url,
      TRUEUP_STATE_URL: `s3://states/shop?endpoint=${store.url}`,
      TRUEUP_API_KEY: apiKey,
      TRUEUP_PLAN_API_KEY: apiKey,
      TRUEUP_STATE_KEY: keyText,
      AWS_ACCESS_KEY_ID: 'ci',
      AWS_SECRET_ACCESS_KEY: secretOf('ci'),
      SHOP_DB_PASSWORD: password,
      TRUEUP_SECRET_SHOP_DB_PASSWORD: password,
      TRUEUP_FORGE_TOKEN: forgeToken,
    };
    hosted = { name, forge, bare, settings: { '': settings }, program: program() };
    writeFileSync(join(clone, 'README.md'), '# Shop\n');
    commit('Begin');
  });

  afterAll(() => Promise.all([platform?.close(), store?.close(), forge?.close(), warm?.close()]));

  function world(): { forge: FakeForge; hosted: Hosted } {
    if (forge === undefined || hosted === undefined) throw new Error('nothing is served');
    return { forge, hosted };
  }

  function manifest(tag: string, port: number): void {
    mkdirSync(join(clone, 'infra'), { recursive: true });
    const text = `trueup: 1
platform: { url: "${platform?.url}" }
project: prj_1
${name === 'gitlab' ? 'drift: { memory: state }\n' : ''}environments:
  production:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: shop
        databaseUser: shop
        databasePassword: \${secret:SHOP_DB_PASSWORD}
    application:
      web:
        source: { type: docker, image: "nginx:${tag}" }
        domains:
          shop.example.com: { port: ${port} }
`;
    writeFileSync(join(clone, 'infra/trueup.yaml'), text);
  }

  const commit = (message: string, branch?: string) => commitAll(repository, message, branch);
  const begin = (branch: string) => beginBranch(repository, branch);

  /** Runs what an event starts, and the requests of it. */
  async function happens(event: Event): Promise<{ readonly run: JobRun; readonly requests: readonly string[] }> {
    emulator.log.splice(0);
    const runs = await runPipeline(world().hosted, event);
    expect(runs).toHaveLength(1);
    const [run] = runs;
    if (run === undefined) throw new Error('no job ran');
    printed.push(run.log, run.summary);
    return { run, requests: emulator.log.splice(0).map(({ method, operation }) => `${method} ${operation}`) };
  }

  /** Merges a branch, and runs what follows. */
  async function merge(branch: string, number: number) {
    world().forge.merged.set(mergeBranch(bare, branch, how), number);
    return happens({ is: 'push' });
  }

  async function idOfWeb(): Promise<string> {
    const environment = JSON.stringify(await emulator.act('environment.one', { environmentId: 'env_prj_1' }));
    return /"applicationId":"([^"]+)"/.exec(environment)?.[1] ?? '';
  }

  async function imageOfWeb(): Promise<unknown> {
    const web = (await emulator.act('application.one', { applicationId: await idOfWeb() })) as {
      dockerImage?: unknown;
    };
    return web.dockerImage;
  }

  /** A person gives the application another image, in the pages of the platform. */
  async function hotFix(dockerImage: string): Promise<void> {
    const others = { username: null, password: null, registryUrl: null };
    await emulator.act('application.saveDockerProvider', { applicationId: await idOfWeb(), dockerImage, ...others });
  }

  /** Runs a command line at a desk, in the clone. */
  async function atDesk(...words: string[]): Promise<string> {
    const env = { ...world().hosted.settings[''] };
    const { code, out, err } = await trueup(['-C', 'infra', ...words], { cwd: clone, env });
    printed.push(out, err);
    expect({ code, err }).toEqual({ code: 0, err });
    return out;
  }

  const writes = (requests: readonly string[]) => requests.filter((one) => !one.startsWith('GET '));

  /** Plans main as its plan job does, without a forge. */
  async function changesOfMain(): Promise<number | null> {
    const { settings } = world().hosted;
    git(clone, 'checkout', '-q', '--detach', commitOf(bare, 'main'));
    const env = { CI: 'true', ...settings[''] };
    const { code, out, err } = await trueup(['-C', 'infra', 'plan', '--detailed-exitcode'], { cwd: clone, env });
    printed.push(out, err);
    return code;
  }

  test('shows the plan of a pull request in one comment, updates it, and applies it after the merge', async () => {
    begin('shop');
    manifest('1.27', 80);
    commit('Describe the shop', 'shop');
    const first = await happens({ is: 'pull request', number: 7, branch: 'shop' });
    expect(first.run).toMatchObject({ code: 0, log: expect.any(String) });
    expect(writes(first.requests)).toEqual([]);
    const comments = () => world().forge.comments.get(7) ?? [];
    expect(comments().map(({ body }) => body)).toEqual([expect.stringContaining('nginx:1.27')]);
    manifest('1.28', 80);
    commit('Use a newer nginx', 'shop');
    const second = await happens({ is: 'pull request', number: 7, branch: 'shop' });
    expect(second.run.code).toBe(0);
    expect(comments().map(({ body }) => body)).toEqual([expect.stringContaining('nginx:1.28')]);
    if (name !== 'gitlab') expect(second.run.summary).toContain('nginx:1.28');
    const applied = await merge('shop', 7);
    expect(applied.run.log).toContain('Applied: ');
    expect(applied.run.code).toBe(0);
    expect(writes(applied.requests)).toContain('POST application.create');
    expect(comments().map(({ body }) => body)).toEqual([
      expect.stringContaining('Trueup plan: '),
      expect.stringContaining('Trueup: applied'),
    ]);
    expect(await changesOfMain()).toBe(0);
    // Jobs are processes in what was asked above: what comes now is about what they do, and when.
    if (!isAll && hosted !== undefined && warm !== undefined) hosted = { ...hosted, node: warm.node };
  });

  onEachInAll('refuses a merge whose manifest is not the planned one, until main is planned', async () => {
    begin('port');
    manifest('1.28', 8080);
    commit('Change the port', 'port');
    expect((await happens({ is: 'pull request', number: 8, branch: 'port' })).run.code).toBe(0);
    begin('notes');
    mkdirSync(join(clone, 'infra'), { recursive: true });
    writeFileSync(join(clone, 'infra/notes.txt'), 'main moved\n');
    commit('Add notes', 'notes');
    const unplanned = await merge('notes', 9);
    expect(unplanned.run).toMatchObject({ code: 0, log: expect.stringContaining('No changes.') });
    const refused = await merge('port', 8);
    expect(refused.run.code).toBe(1);
    expect(refused.run.log).toContain('these changes were not reviewed');
    expect(
      world()
        .forge.comments.get(8)
        ?.map(({ body }) => body),
    ).toEqual([
      expect.stringContaining('Trueup plan: '),
      expect.stringContaining('Trueup: not applied, because these changes were not reviewed'),
    ]);
    expect(writes(refused.requests)).toEqual([]);
    const planned = await happens({ is: 'dispatch', inputs: { command: 'plan' } });
    expect(planned.run).toMatchObject({ code: 0, log: expect.stringContaining('8080') });
    expect(writes(planned.requests)).toEqual([]);
    const applied = await happens({ is: 'push' });
    expect(applied.run.code).toBe(0);
    expect(writes(applied.requests)).toContain('POST domain.update');
    expect(await changesOfMain()).toBe(0);
  });

  onEachInAll('keeps a hot fix made between the plan and the merge', async () => {
    begin('tag');
    manifest('1.29', 8080);
    commit('Use nginx 1.29', 'tag');
    expect((await happens({ is: 'pull request', number: 10, branch: 'tag' })).run.code).toBe(0);
    await hotFix('nginx:hot-fix');
    const refused = await merge('tag', 10);
    expect(refused.run.code).toBe(1);
    expect(refused.run.log).toContain('plan-outdated');
    expect(writes(refused.requests)).toEqual([]);
    expect(await imageOfWeb()).toBe('nginx:hot-fix');
    await happens({ is: 'dispatch', inputs: { command: 'plan' } });
    const applied = await happens({ is: 'push' });
    expect(applied.run.code).toBe(0);
    expect(await changesOfMain()).toBe(0);
  });

  onEachInAll('finds drift at night, which people accept or repair', async () => {
    await hotFix('nginx:at-night');
    const found = await happens({ is: 'schedule' });
    expect(found.run).toMatchObject({ code: 2, log: expect.stringContaining('nginx:at-night') });
    expect(writes(found.requests)).toEqual([]);
    // An acceptance is a commit as others are: its way through a pipeline takes seconds.
    if (isAll) {
      begin('accept');
      const until = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
      const why = ['--until', until, '--because', 'the vendor asked', '--by', 'ops'];
      await atDesk('drift', 'accept', 'production.application.web', ...why);
      // What apply leaves alone is reviewed: the acceptance has a plan of its own, and its merge an apply.
      commit('Accept the image of the vendor', 'accept');
      expect((await happens({ is: 'pull request', number: 22, branch: 'accept' })).run.code).toBe(0);
      const merged = await merge('accept', 22);
      expect(merged.run.code).toBe(0);
      expect(writes(merged.requests)).toEqual([]);
      expect(await imageOfWeb()).toBe('nginx:at-night');
      const accepted = await happens({ is: 'schedule' });
      expect(accepted.run).toMatchObject({ code: 0, log: expect.stringContaining('accepted') });
      begin('no-longer');
      rmSync(join(clone, 'infra/accepted.yaml'));
      commit('Accept the image of the vendor no longer', 'no-longer');
      mergeBranch(bare, 'no-longer', how);
    }
    await happens({ is: 'dispatch', inputs: { command: 'plan' } });
    const apply =
      name === 'gitlab' ? ({ is: 'push' } as const) : ({ is: 'dispatch', inputs: { command: 'apply' } } as const);
    const repaired = await happens(apply);
    expect(repaired.run.code).toBe(0);
    expect(await imageOfWeb()).toBe('nginx:1.29');
    const nothing = await happens({ is: 'schedule' });
    expect(nothing.run.code).toBe(0);
    expect(nothing.run.log).not.toContain('at-night');
    expect(await changesOfMain()).toBe(0);
  });

  onOneForge('keeps an adopted hot fix, and deploys it once', async () => {
    await hotFix('nginx:adopted');
    begin('adopt');
    await atDesk('drift', 'adopt', 'production.application.web');
    expect(git(clone, 'diff', '--stat', '--', 'infra/trueup.yaml')).toContain('1 insertion(+), 1 deletion(-)');
    commit('Keep the hot fix', 'adopt');
    const planned = await happens({ is: 'pull request', number: 13, branch: 'adopt' });
    expect(planned.run.code).toBe(0);
    const applied = await merge('adopt', 13);
    expect(applied.run.code).toBe(0);
    expect(writes(applied.requests)).toEqual(['POST application.redeploy']);
    expect(await imageOfWeb()).toBe('nginx:adopted');
    expect(await changesOfMain()).toBe(0);
  });

  onEachInAll(
    'applies the plan that the reviewers of a pull request saw, and not a later one of the same content',
    async () => {
      begin('twin');
      manifest('1.30', 8080);
      commit('Use nginx 1.30', 'twin');
      commit('Begin again', 'other-twin');
      expect((await happens({ is: 'pull request', number: 14, branch: 'twin' })).run.code).toBe(0);
      await hotFix('nginx:between');
      expect((await happens({ is: 'pull request', number: 15, branch: 'other-twin' })).run.code).toBe(0);
      const refused = await merge('twin', 14);
      expect(refused.run.log).toContain('plan-outdated');
      expect(refused.run.code).toBe(1);
      expect(writes(refused.requests)).toEqual([]);
      expect(await imageOfWeb()).toBe('nginx:between');
      expect(world().forge.comments.get(99)).toBeUndefined();
      await happens({ is: 'dispatch', inputs: { command: 'plan' } });
      expect((await happens({ is: 'push' })).run.code).toBe(0);
      expect(await changesOfMain()).toBe(0);
    },
  );

  onEachInAll('gives a pull request from a fork no secrets: it is validated, and nothing is stored', async () => {
    begin('$(touch${IFS}pwned)');
    manifest('evil', 80);
    commit('`touch pwned`; $(touch pwned)', '$(touch${IFS}pwned)');
    const stored = () => [world().forge.artifacts.length, world().forge.packages.size];
    const before = stored();
    const { run, requests } = await happens({
      is: 'pull request',
      number: 11,
      branch: '$(touch${IFS}pwned)',
      fork: true,
    });
    expect(run).toMatchObject({ code: 0, log: expect.stringContaining('trueup.yaml is valid') });
    expect(requests).toEqual([]);
    expect(stored()).toEqual(before);
    git(run.folder, 'diff', '--exit-code');
    expect(git(run.folder, 'status', '--porcelain')).toBe('');
  });

  onEachInAll('shows a mistake at its line, and plans nothing', async () => {
    begin('typo');
    manifest('1.29', 8080);
    writeFileSync(join(clone, 'infra/trueup.yaml'), 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironmets: {}\n');
    commit('Mistype', 'typo');
    const { run, requests } = await happens({ is: 'pull request', number: 12, branch: 'typo' });
    expect(run.code).toBe(3);
    expect(requests).toEqual([]);
    expect(world().forge.comments.get(12)).toEqual([
      expect.objectContaining({ body: expect.stringContaining('failed with exit code 3') }),
    ]);
    if (name === 'github') expect(run.log).toMatch(/^::error file=infra\/trueup\.yaml,line=4,col=\d+,title=/m);
  });

  test('shows no secret and no token in any log, page, comment and stored plan', () => {
    const { forge: served } = world();
    const stored = [...served.artifacts.map(({ content }) => content), ...served.packages.values()].map(String);
    const comments = [...served.comments.values()].flat().map(({ body }) => body);
    const all = [...printed, ...stored, ...comments].join('\n');
    expect(all.length).toBeGreaterThan(1_000);
    expect(canaries.filter((canary) => all.includes(canary))).toEqual([]);
  });
});
