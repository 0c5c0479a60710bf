import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { program } from '../cli/process.ts';
import { forgeToken, serveForge } from '../support/fake-forge.ts';
import { beginBranch, commitAll, hostRepository, mergeBranch } from '../support/hosted-repository.ts';
import type { Event, Hosted } from '../support/pipelines.ts';
import { runPipeline } from '../support/pipelines.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';
import { serveProgram } from '../support/warm-program.ts';
import { effort, isAll } from '../support/whole.ts';

/** The pipeline files for several stages: each stage on a platform of its own, with a key of its own. */

const stages = ['staging', 'production'] as const;
const keyOf = { staging: 'api-key-canary-staging', production: 'api-key-canary-production' };

/** Each forge has the same steps: one is enough, unless everything is tried. */
const forges = effort<readonly Forge['name'][]>({ fast: ['github'], all: ['github', 'gitlab', 'gitea'] });

describe.each(forges)('two stages on %s', (name) => {
  const emulators = {
    staging: createEmulator({ profile: 'dokploy', apiKey: keyOf.staging }),
    production: createEmulator({ profile: 'dokploy', apiKey: keyOf.production }),
  };
  const repository = hostRepository();
  const { bare, clone } = repository;
  const closing: (() => Promise<unknown>)[] = [];
  const printed: string[] = [];
  let [forge, hosted, urls]: [Awaited<ReturnType<typeof serveForge>>?, Hosted?, Readonly<Record<string, string>>?] = [];

  beforeAll(async () => {
    const [store, served, ...platforms] = await Promise.all([
      serveS3(['states']),
      serveForge(name),
      serve(emulators.staging),
      serve(emulators.production),
    ]);
    // Of their jobs that are processes, pipelines.test.ts asks.
    const warm = await serveProgram();
    closing.push(...[store, served, ...platforms, warm].map((one) => () => one.close()));
    forge = served;
    urls = Object.fromEntries(stages.map((stage, at) => [stage, platforms[at]?.url ?? '']));
    const ofStage = (stage: (typeof stages)[number]) => ({
      TRUEUP_URL: urls?.[stage] ?? '',
      TRUEUP_STATE_URL: `s3://states/${stage}?endpoint=${store.url}`,
      TRUEUP_API_KEY: keyOf[stage],
      TRUEUP_STATE_KEY: keyText,
      AWS_ACCESS_KEY_ID: 'ci',
      AWS_SECRET_ACCESS_KEY: secretOf('ci'),
      ...(name === 'github' ? {} : { TRUEUP_FORGE_TOKEN: forgeToken }),
    });
    // Forgejo and Gitea have no environments: a name for each stage.
    const named = stages.flatMap((stage) =>
      Object.entries(ofStage(stage)).flatMap(([key, value]) => {
        const own = stage.toUpperCase();
        if (key.startsWith('AWS_')) return [[`${own}_${key}`, value]];
        const [, rest = ''] = key.split(/^TRUEUP_/);
        return [`TRUEUP_${own}_${rest}`, ...(rest === 'API_KEY' ? [`TRUEUP_${own}_PLAN_API_KEY`] : [])].map((one) => [
          one,
          value,
        ]);
      }),
    ) as [string, string][];
    const settings =
      name === 'gitea'
        ? { '': { ...Object.fromEntries(named), TRUEUP_FORGE_TOKEN: forgeToken } }
        : {
            ...Object.fromEntries(
              stages.flatMap((stage) => [
                [stage, ofStage(stage)],
                [`trueup-plan-${stage}`, ofStage(stage)],
              ]),
            ),
            'trueup-comment': { TRUEUP_FORGE_TOKEN: forgeToken },
          };
    hosted = {
      name,
      forge,
      bare,
      files: '-stages',
      settings,
      program: program(),
      ...(isAll ? {} : { node: warm.node }),
    };
    mkdirSync(join(clone, 'infra'));
    commit('Begin', { 'README.md': '# Shop\n' });
  });

  afterAll(() => Promise.all(closing.map((close) => close())));

  function commit(message: string, files: Readonly<Record<string, string>>, branch = 'main'): void {
    if (branch !== 'main') beginBranch(repository, branch);
    for (const [path, text] of Object.entries(files)) writeFileSync(join(clone, path), text);
    commitAll(repository, message, branch);
  }

  const stageText = (stage: string, tag: string) =>
    `trueup: 1\nplatform: { url: "${urls?.[stage]}" }\nenvironment: ${stage}\ninclude: [shop.yaml]\nvariables: { tag: "${tag}" }\n`;
  const shop = `project: { name: shop }
variables: { tag: { type: text } }
application:
  web: { source: { type: docker, image: 'nginx:\${var:tag}' } }
`;

  async function happens(event: Event) {
    for (const stage of stages) emulators[stage].log.splice(0);
    if (hosted === undefined) throw new Error('nothing is served');
    const runs = await runPipeline(hosted, event);
    printed.push(...runs.flatMap(({ log, summary }) => [log, summary]));
    const writesOf = (stage: (typeof stages)[number]) =>
      emulators[stage].log.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
    return {
      jobs: Object.fromEntries(runs.map(({ job, code }) => [job.replace('trueup-', '').replace(' ', '-'), code])),
      log: runs.map(({ log }) => log).join(''),
      writes: { staging: writesOf('staging'), production: writesOf('production') },
    };
  }

  const comments = (number: number) => (forge?.comments.get(number) ?? []).map(({ body }) => body);

  test('have one comment with a section for each, which the merge applies one after the other', async () => {
    const files = {
      'infra/shop.yaml': shop,
      'infra/staging.yaml': stageText('staging', '1.29'),
      'infra/production.yaml': stageText('production', '1.28'),
    };
    commit('Deploy the shop', files, 'shop');
    const planned = await happens({ is: 'pull request', number: 7, branch: 'shop' });
    expect(planned.jobs, planned.log).toEqual({ 'plan-staging': 0, 'plan-production': 0, comment: 0 });
    expect(planned.writes).toEqual({ staging: [], production: [] });
    expect(comments(7)).toEqual([
      expect.stringMatching(
        /^<!-- trueup:plan:[0-9a-f]{40} -->\n\n## Trueup plan: 2 stages\n\n- `staging`: `3 to create, 1 to deploy`\n- `production`: `2 to create, 1 to adopt, 1 to deploy`\n\n### `staging`: 3 to create[\s\S]+nginx:1\.29[\s\S]+is stored as[\s\S]+### `production`: 2 to create[\s\S]+nginx:1\.28[\s\S]+is stored as/,
      ),
    ]);
    forge?.merged.set(mergeBranch(bare, 'shop', 'squash'), 7);
    const applied = await happens({ is: 'push' });
    const rest = await (name === 'gitea'
      ? happens({ is: 'dispatch', inputs: { command: 'apply production' } })
      : undefined);
    expect({ ...applied.jobs, ...rest?.jobs }, applied.log).toEqual({ 'apply-staging': 0, 'apply-production': 0 });
    expect(applied.writes.staging).toContain('application.create');
    expect((rest ?? applied).writes.production).toContain('application.create');
    expect(comments(7).slice(1)).toEqual([
      expect.stringContaining('Trueup: `staging.yaml`: applied'),
      expect.stringContaining('Trueup: `production.yaml`: applied'),
    ]);
    const drift = await happens({ is: 'schedule' });
    expect(drift.jobs, drift.log).toEqual({ 'drift-staging': 0, 'drift-production': 0 });
    commit('Change nothing', { 'infra/notes.txt': 'nothing\n' }, 'notes');
    await happens({ is: 'pull request', number: 8, branch: 'notes' });
    expect(comments(8)).toEqual([expect.stringContaining('- `staging`: `no changes`\n- `production`: `no changes`\n')]);
  });

  // The forge has no part in it: one is enough.
  const onOneForge = name === 'github' ? test : test.skip;
  onOneForge('have a section also for the one whose plan failed', async () => {
    const broken = stageText('production', '1.28').replace('variables', 'variable');
    commit('Mistype', { 'infra/production.yaml': broken, 'infra/staging.yaml': stageText('staging', '1.30') }, 'typo');
    const { jobs, writes } = await happens({ is: 'pull request', number: 9, branch: 'typo' });
    expect(jobs).toEqual({ 'plan-staging': 0, 'plan-production': 3, comment: 0 });
    expect(writes).toEqual({ staging: [], production: [] });
    const [text = '', ...more] = comments(9);
    expect(more).toEqual([]);
    expect(text).toContain(
      '- `staging`: `1 to update, 1 to deploy, 2 unchanged`\n- `production`: `failed, exit code 3`\n',
    );
    expect(text).toMatch(
      /### `production`: plan: failed with exit code 3\n\n```text\n[\s\S]*production\.yaml:5:1[\s\S]*```\n\nNo plan of commit/,
    );
  });

  test('show no key in a log, on a page or in a comment', () => {
    const all = [...printed, ...[...(forge?.comments.values() ?? [])].flat().map(({ body }) => body)].join('\n');
    for (const canary of [keyOf.staging, keyOf.production, keyText, forgeToken, secretOf('ci')])
      expect(all).not.toContain(canary);
  });
});
