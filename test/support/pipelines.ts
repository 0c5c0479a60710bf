import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { finish } from '../cli/process.ts';
import type { FakeForge } from './fake-forge.ts';
import { forgeToken, runnerOf } from './fake-forge.ts';
import { checkOut, commitOf, git } from './hosted-repository.ts';
import type { Contexts } from './pipeline-expressions.ts';
import { holds, holdsInGitLab, substitute } from './pipeline-expressions.ts';

/** The pipeline files, run step by step as their forge runs them, on a bare repository. */

const root = resolve(import.meta.dirname, '../..');

/** A file of the project as a value. */
export function readYaml(path: string): unknown {
  return parse(readFileSync(join(root, path), 'utf8'));
}

/** What happens in the repository. */
export type Event =
  | {
      readonly is: 'pull request';
      readonly number: number;
      readonly branch: string;
      readonly fork?: true;
      readonly action?: 'opened' | 'synchronize' | 'closed';
      /** The commit that its job is about, where the branch has gone on since. */
      readonly head?: string;
    }
  | { readonly is: 'push' }
  | { readonly is: 'dispatch'; readonly inputs: Readonly<Record<string, string>> }
  | { readonly is: 'schedule' };

/** The result of a job. */
export interface JobRun {
  readonly job: string;
  readonly code: number;
  /** The log. */
  readonly log: string;
  /** The page of the job. */
  readonly summary: string;
  /** Annotations, as commands to the runner. */
  readonly folder: string;
}

/** A built Trueup, and the Node that runs it; by default that of this process. */
export interface Product {
  /** The built program. */
  readonly program: string;
  readonly node?: string;
}

/** A forge with a bare repository, its settings, and the image or action of Trueup. */
export interface Hosted extends Product {
  readonly name: Forge['name'];
  readonly forge: FakeForge;
  /** The bare repository. */
  readonly bare: string;
  /** More options of `trueup-ci`. */
  readonly more?: string;
  /** The end of the names of the pipeline files: `-stages`, `-previews`. */
  readonly files?: string;
  /** Variables and secrets, by the environment that has them; `''`: every job. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface WorkflowJob {
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly strategy?: { readonly matrix: { readonly stage: readonly string[] } };
  readonly environment?: string;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, { readonly paths?: readonly string[] } | readonly unknown[] | null>>;
  readonly jobs: Readonly<Record<string, WorkflowJob>>;
}

interface GitLabJob {
  readonly extends?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly needs?: readonly string[];
  readonly artifacts?: { readonly paths: readonly string[] };
  readonly rules: readonly { readonly if: string; readonly changes?: readonly string[]; readonly when?: string }[];
  readonly environment?: { readonly name: string; readonly action?: string };
  readonly script: readonly string[];
}

/** The artifacts of the jobs of a run: their files, by name. */
type Artifacts = Map<string, ReadonlyMap<string, Buffer>>;

/** Runs the jobs of a pipeline file that an event starts, one after the other. */
export async function runPipeline(hosted: Hosted, event: Event): Promise<readonly JobRun[]> {
  const runs: JobRun[] = [];
  const artifacts: Artifacts = new Map();
  const haveSucceeded = (needs: string | readonly string[] = []) =>
    [needs].flat().every((need) => {
      const found = runs.filter(({ job }) => job === need || job.startsWith(`${need} `));
      return found.length > 0 && found.every(({ code }) => code === 0);
    });
  const fileOf = (name: string) => readYaml(`pipelines/${name}${hosted.files ?? ''}.yml`);
  if (hosted.name === 'gitlab') {
    const file = fileOf('gitlab') as Record<string, GitLabJob> & { variables: Record<string, string> };
    const { variables, ...jobs } = file;
    const whole = (own: GitLabJob): GitLabJob =>
      own.extends === undefined ? own : { ...whole(jobs[own.extends] as GitLabJob), ...own };
    for (const [job, own] of Object.entries(jobs)) {
      const content = whole(own);
      const isReady = content.rules?.some(({ when }) => when === 'always') || haveSucceeded(content.needs);
      // GitLab starts the job that stops an environment when the merge request is closed, and no other one.
      const isClosed = event.is === 'pull request' && event.action === 'closed';
      const isOfEvent = (content.environment?.action === 'stop') === isClosed;
      if (job.startsWith('.') || !isReady || !isOfEvent) continue;
      runs.push(...(await runGitLabJob(hosted, event, { job, content, variables, artifacts })));
    }
    return runs;
  }
  const file = fileOf(hosted.name === 'github' ? 'github' : 'forgejo') as Workflow;
  const eventName = nameOf(event);
  const trigger = file.on[eventName];
  if (trigger === undefined) return [];
  if (trigger !== null && 'paths' in trigger && !touches(hosted.bare, event, trigger.paths ?? [])) return [];
  for (const [job, content] of Object.entries(file.jobs)) {
    const inputs = event.is === 'dispatch' ? event.inputs : {};
    const isReady = content.if?.includes('cancelled()') === true || haveSucceeded(content.needs);
    for (const stage of content.strategy?.matrix.stage ?? ['']) {
      const github = { event_name: eventName, token: forgeToken, ref: 'ref', event: payloadOf(hosted.bare, event) };
      const contexts = { github, inputs, matrix: { stage } };
      if (!isReady || !holds(content.if, contexts)) continue;
      const about = { job: `${job} ${stage}`.trim(), content, contexts, artifacts };
      runs.push(await runWorkflowJob(hosted, event, about));
    }
  }
  return runs;
}

async function runGitLabJob(
  { name, forge, bare, settings, more = '', ...product }: Hosted,
  event: Event,
  about: { job: string; content: GitLabJob; variables: Readonly<Record<string, string>>; artifacts: Artifacts },
): Promise<readonly JobRun[]> {
  const { job, content, variables, artifacts } = about;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-pipeline-'));
  const commit = checkOutEvent(bare, folder, event, { merges: false });
  const isPull = event.is === 'pull request';
  const predefined: Record<string, string> = {
    ...runnerOf(name, forge.url),
    CI_COMMIT_SHA: commit,
    CI_DEFAULT_BRANCH: 'main',
    CI_PIPELINE_SOURCE: { 'pull request': 'merge_request_event', push: 'push', dispatch: 'web', schedule: 'schedule' }[
      event.is
    ],
    ...(isPull
      ? {
          CI_MERGE_REQUEST_IID: String(event.number),
          CI_MERGE_REQUEST_PROJECT_ID: '12',
          CI_MERGE_REQUEST_SOURCE_PROJECT_ID: event.fork === true ? '99' : '12',
        }
      : { CI_COMMIT_BRANCH: 'main' }),
  };
  const starts = content.rules.some(
    ({ if: condition, changes }) =>
      holdsInGitLab(condition, predefined) && (changes === undefined || touches(bare, event, changes)),
  );
  if (!starts) return [];
  // A fork has variables of its own: none.
  const own = isPull && event.fork === true ? {} : { ...settings[''], ...settings[content.environment?.name ?? ''] };
  for (const need of content.needs ?? [])
    for (const [path, bytes] of artifacts.get(need) ?? []) writeFileSync(join(folder, path), bytes);
  const ofJob = { ...variables, ...content.variables };
  const { code, out } = await runScript(content.script.map((line) => line + more).join('\n'), {
    folder,
    env: { ...imageOf(product), ...ofJob, ...own, ...predefined },
  });
  const paths = (content.artifacts?.paths ?? []).map((path) => path.replace('$STAGE', ofJob['STAGE'] ?? ''));
  const left = paths.filter((path) => existsSync(join(folder, path)));
  artifacts.set(job, new Map(left.map((path) => [path, readFileSync(join(folder, path))])));
  return [{ job, code, log: out, summary: '', folder }];
}

/** The name of an event in workflows. */
function nameOf(event: Event) {
  const names = {
    'pull request': 'pull_request',
    push: 'push',
    dispatch: 'workflow_dispatch',
    schedule: 'schedule',
  } as const;
  return names[event.is];
}

async function runWorkflowJob(
  { name, forge, bare, settings, more = '', ...product }: Hosted,
  event: Event,
  about: { job: string; content: WorkflowJob; contexts: Contexts; artifacts: Artifacts },
): Promise<JobRun> {
  const { job, content, contexts, artifacts } = about;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-pipeline-'));
  const beside = mkdtempSync(join(tmpdir(), 'trueup-runner-'));
  const [summary, eventPath] = [join(beside, 'summary'), join(beside, 'event.json')];
  const isPull = event.is === 'pull request';
  const isFork = isPull && event.fork === true;
  writeFileSync(eventPath, JSON.stringify(payloadOf(bare, event)));
  const environment = substitute(content.environment ?? '', contexts);
  const secrets = isFork ? {} : { ...settings[''], ...settings[environment] };
  let [log, code, commit] = ['', 0, ''];

  async function runSteps(
    steps: readonly Step[],
    around: Contexts,
    outer: Readonly<Record<string, string>>,
  ): Promise<void> {
    const outputs: Record<string, Contexts> = {};
    for (const step of steps) {
      const known: Contexts = { ...around, steps: outputs };
      const isReady = code === 0 || step.if?.includes('cancelled()') === true;
      if (!isReady || !holds(step.if, known)) continue;
      const values = (map: Readonly<Record<string, string | boolean>> = {}) =>
        Object.fromEntries(Object.entries(map).map(([key, value]) => [key, substitute(String(value), known)]));
      const env = { ...outer, ...values(step.env) };
      const given = values(step.with);
      if (step.uses?.includes('actions/checkout@') === true) {
        if (given['persist-credentials'] !== 'false') throw new Error('the checkout keeps the token in .git/config');
        commit = checkOutEvent(bare, folder, event, { merges: name === 'github', ref: given['ref'] });
      } else if (step.uses?.includes('actions/download-artifact@') === true) {
        for (const [artifact, files] of artifacts) {
          if (!new RegExp(`^${(given['pattern'] ?? '*').replace('*', '.*')}$`).test(artifact)) continue;
          const target = join(folder, given['path'] ?? '', given['merge-multiple'] === 'true' ? '' : artifact);
          mkdirSync(target, { recursive: true });
          for (const [path, bytes] of files) writeFileSync(join(target, path), bytes);
        }
      } else if (step.uses?.includes('actions/upload-artifact@') === true) {
        const path = given['path'] ?? '';
        if (given['if-no-files-found'] === 'ignore' && !existsSync(join(folder, path))) continue;
        const content = readFileSync(join(folder, path));
        artifacts.set(given['name'] ?? '', new Map([[path, content]]));
        // The checkout of a pull request is a merge commit of its branch.
        const head = event.is === 'pull request' ? commitOf(bare, event.branch) : commit;
        if (event.is === 'pull request') forge.heads.set(event.number, head);
        forge.artifacts.push({ name: given['name'] ?? '', content, head, ...(isFork ? { isForeign: true } : {}) });
      } else if (step.uses?.startsWith('OWNER/trueup@') === true) {
        const action = readYaml('action.yml') as {
          inputs: Record<string, { default?: string; required?: boolean }>;
          runs: { steps: readonly Step[] };
        };
        const unknown = Object.keys(given).filter((key) => !Object.hasOwn(action.inputs, key));
        if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join()}`);
        const inputs = Object.fromEntries(
          Object.entries(action.inputs).map(([key, { default: usual = '' }]) => [
            key,
            given[key] ?? substitute(usual, known),
          ]),
        );
        // Neither secrets nor variables are there in an action.
        const withMore = { ...inputs, options: `${inputs['options'] ?? ''}${more}` };
        await runSteps(action.runs.steps, { github: around['github'], inputs: withMore }, env);
      } else if (step.run !== undefined) {
        const output = join(beside, `output-${Object.keys(outputs).length}-${step.id ?? ''}`);
        writeFileSync(output, '');
        if (step.run.includes('${{')) throw new Error(`a script with an expression: ${step.run}`);
        const ran = await runScript(step.run + (step.run.startsWith('trueup-ci ') ? more : ''), {
          folder,
          env: {
            ...imageOf(product),
            ...runnerOf(name, forge.url),
            GITHUB_SHA: commit,
            GITHUB_EVENT_NAME: nameOf(event),
            GITHUB_EVENT_PATH: eventPath,
            GITHUB_STEP_SUMMARY: summary,
            GITHUB_OUTPUT: output,
            GITHUB_ACTION_PATH: resolve(dirname(product.program), '..'),
            ...env,
          },
        });
        log += ran.out;
        code = ran.code;
        const pairs = readFileSync(output, 'utf8').split('\n').filter(Boolean);
        if (step.id !== undefined) {
          outputs[step.id] = {
            outputs: Object.fromEntries(pairs.map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')])),
          };
        }
      } else throw new Error(`an unknown step: ${step.uses ?? ''}`);
    }
  }

  await runSteps(content.steps, { ...contexts, secrets, vars: secrets }, {});
  return { job, code, log, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '', folder };
}

/** The commit that the job of a pull request is about. */
function headOf(bare: string, { head, branch }: Extract<Event, { is: 'pull request' }>): string {
  return head ?? commitOf(bare, branch);
}

/** What a forge says about an event. */
function payloadOf(bare: string, event: Event): Contexts {
  if (event.is !== 'pull request') return { ref: 'refs/heads/main' };
  const side = (full_name: string, sha: string): Contexts => ({ repo: { full_name }, sha });
  const head = headOf(bare, event);
  const pull = {
    number: event.number,
    head: side(event.fork === true ? 'fork/infra' : 'shop/infra', head),
    base: side('shop/infra', commitOf(bare, 'main')),
  };
  return { action: event.action ?? 'opened', pull_request: pull };
}

/** The folders with the programs of a built Trueup, by the file of that. */
const images = new Map<string, string>();

/** The variables of a job in the image of Trueup: its programs are found, and no variable of this process. */
export function imageOf({ program, node = process.execPath }: Product): Record<string, string> {
  const bin = images.get(program) ?? mkdtempSync(join(tmpdir(), 'trueup-image-'));
  if (!images.has(program))
    for (const name of ['trueup', 'trueup-ci']) symlinkSync(join(dirname(program), `${name}.js`), join(bin, name));
  images.set(program, bin);
  return { PATH: `${bin}:${dirname(node)}:${process.env.PATH ?? ''}`, HOME: tmpdir() };
}

/** Runs a script as a runner does. */
export async function runScript(
  script: string,
  { folder, env }: { folder: string; env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd: folder, env });
  const { code, out, err } = await finish(child);
  return { code: code ?? -1, out: out + err };
}

/** Whether an event changes a file that patterns name; the last pattern that fits decides, and `!` begins one that excludes. */
function touches(bare: string, event: Event, patterns: readonly string[]): boolean {
  const range = event.is === 'pull request' ? `main...${event.branch}` : 'main^1..main';
  const isFirst = event.is === 'push' && git(bare, 'rev-list', '--count', '--first-parent', 'main') === '1';
  const files = isFirst ? git(bare, 'ls-tree', '-r', '--name-only', 'main') : git(bare, 'diff', '--name-only', range);
  const tests = patterns.map((pattern) => {
    const [, not, glob = ''] = /^(!?)(.*)$/.exec(pattern) ?? [];
    const form = glob
      .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\*\*\/\*|\*\*|\*/g, (star) => (star === '*' ? '[^/]*' : '.*'));
    return { excludes: not === '!', expression: new RegExp(`^${form}$`) };
  });
  return files.split('\n').some((file) => {
    const last = tests.findLast(({ expression }) => expression.test(file));
    return last !== undefined && !last.excludes;
  });
}

/** Checks out the commit of an event: of a pull request its merge into main, or its branch. Returns the commit. */
function checkOutEvent(
  bare: string,
  folder: string,
  event: Event,
  { merges, ref = '' }: { merges: boolean; ref?: string | undefined },
): string {
  if (ref !== '') return checkOut(bare, folder, { ref });
  if (event.is !== 'pull request') return checkOut(bare, folder, {});
  const head = headOf(bare, event);
  return checkOut(bare, folder, merges ? { merge: head } : { ref: head });
}
