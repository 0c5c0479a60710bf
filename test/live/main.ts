import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readVersion } from '../../src/project/version.ts';
import { checksFor, Failed, Skipped } from './checks.ts';
import { openGate } from './gate.ts';
import { newMark } from './mark.ts';
import type { Row } from './platform.ts';
import { direct, KeyRefused, Refused, textIn } from './platform.ts';
import { removeMarked } from './remove.ts';
import type { Checked, Report } from './report.ts';
import { isGood, summary } from './report.ts';
import { Interrupted, siteIn } from './site.ts';
import { differences, survey } from './survey.ts';

/**
 * Tries Trueup on a real platform, inside a project of its own, and proves that nothing else was touched: `docs/live.md`.
 *
 *     TRUEUP_LIVE_URL=https://… TRUEUP_LIVE_KEY=… npm run test:live
 */

const { TRUEUP_LIVE_URL: url = '', TRUEUP_LIVE_KEY: key = '', TRUEUP_LIVE_PROJECT: given = '' } = process.env;
const {
  TRUEUP_LIVE_ONLY: only = '',
  TRUEUP_LIVE_DEPLOY: deploys = '',
  TRUEUP_LIVE_REPORT: reportFile = '',
} = process.env;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

process.exitCode = await main();

async function main(): Promise<number> {
  if (!URL.canParse(url) || key === '') {
    say(
      'Set TRUEUP_LIVE_URL to the address of the platform, without /api, and TRUEUP_LIVE_KEY to an API key. docs/live.md says what happens then.',
    );
    return 1;
  }
  const gate = await openGate(url);
  const folder = mkdtempSync(join(tmpdir(), 'trueup-live-'));
  try {
    return await run(gate, folder);
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error;
    const writes = gate.passed.filter(({ method, status }) => method !== 'GET' && status < 300).length;
    say(
      `The platform does not accept the key any more: its limit ran out. Make one without a limit, and run this again.`,
    );
    say(
      writes === 0
        ? 'Nothing was changed on the platform.'
        : 'What begins with trueup-live- is still there; the next run removes it.',
    );
    return 4;
  } finally {
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(gate: Awaited<ReturnType<typeof openGate>>, folder: string): Promise<number> {
  const platform = direct(gate.url, key);
  const mark = newMark();
  const about = { gate, direct: platform, mark, deploys: deploys === '1', key };
  const looking = siteIn(folder, { ...about, projectId: '', destinationId: undefined, isOwnProject: false });
  const doctor = await looking.trueup(folder, 'doctor');
  say(doctor.out.trim());
  if (doctor.code !== 0) {
    say(`${doctor.err.trim()}\nNothing was changed on the platform.`);
    return doctor.code;
  }
  const caller = ((await platform.get('user.get')) ?? {}) as Row;
  const project = given === '' ? undefined : given;

  const earlier = await removeMarked(platform, project);
  for (const title of earlier.removed) say(`removed what an earlier run left: ${title}`);

  say('reading everything that is there');
  const before = await survey(platform, project);
  for (const list of before.unseen) say(`not compared, because the key cannot read it: ${list}`);
  gate.forbid([...before.ids].filter((id) => id !== project));

  const own = project === undefined ? await makeProject() : undefined;
  const projectId = own ?? project;
  if (projectId === undefined) {
    say('This key cannot make a project. Make an empty one for these tests, and set TRUEUP_LIVE_PROJECT to its id.');
    return 4;
  }
  const destinationId = await makeDestination();
  const site = siteIn(folder, { ...about, projectId, destinationId, isOwnProject: own !== undefined });
  const checked: Checked[] = [];
  let isInterrupted = false;
  const interrupt = () => {
    if (isInterrupted) {
      say(`Ended at once. What begins with ${mark} is still there; the next run removes it.`);
      process.exit(130);
    }
    isInterrupted = true;
    say('ending: what was made is removed');
    site.interrupt();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  // npm runs it in the folder of the project.
  for (const { title, run: tried } of checksFor(only.split(',').filter(Boolean), resolve('examples'))) {
    if (isInterrupted) break;
    const result = await tried(site).then(
      (): Checked => ({ title, result: 'passed' }),
      (error: unknown): Checked => {
        if (error instanceof Skipped) return { title, result: 'skipped', why: error.message };
        if (error instanceof Interrupted) return { title, result: 'skipped', why: 'the run was ended' };
        if (error instanceof Failed || error instanceof Refused) return { title, result: 'failed', why: error.message };
        throw error;
      },
    );
    checked.push(result);
    say(
      `${{ passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[result.result]} ${title}${result.why === undefined ? '' : `: ${result.why}`}`,
    );
    if (result.result !== 'passed') await removeMarkedBelow(projectId);
  }

  const removal = await removeMarked(platform, project);
  const after = await survey(platform, project);
  const report: Report = {
    trueup: readVersion(),
    node: process.version,
    platform: await platformVersion(),
    role: textIn(caller, 'role'),
    mark,
    checks: checked,
    differences: differences(before, after),
    heldBack: gate.heldBack,
    left: removal.left,
    requests: {
      reads: gate.passed.filter(({ method }) => method === 'GET').length,
      writes: gate.passed.filter(({ method }) => method !== 'GET').length,
    },
  };
  say(summary(report));
  if (reportFile !== '') {
    writeFileSync(reportFile, `${JSON.stringify(report, undefined, 2)}\n`);
    say(`The report is in ${reportFile}.`);
  }
  if (isInterrupted) return 130;
  return isGood(report) ? 0 : 1;

  async function makeProject(): Promise<string | undefined> {
    try {
      const made = (await platform.post('project.create', {
        name: mark,
        description: 'Made by the live tests of Trueup.',
      })) as {
        readonly project?: Row;
      };
      return textIn(made.project ?? {}, 'projectId');
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  /** A destination with a marked name, which backups of this run may name; nothing is ever stored there. */
  async function makeDestination(): Promise<string | undefined> {
    const nowhere = {
      provider: null,
      accessKey: 'none',
      secretAccessKey: 'none',
      bucket: 'none',
      region: '',
      endpoint: 'https://s3.invalid',
    };
    try {
      const made = await platform.post('destination.create', { name: mark, additionalFlags: [], ...nowhere });
      return textIn((made ?? {}) as Row, 'destinationId');
    } catch (error) {
      if (error instanceof Refused) return undefined;
      throw error;
    }
  }

  /** What a failed check left behind must not disturb the next one. */
  async function removeMarkedBelow(id: string): Promise<void> {
    await removeMarked(platform, id, { isUnderWay: true });
  }

  async function platformVersion(): Promise<string | undefined> {
    const answer = await platform.get('settings.getDokployVersion').catch(() => undefined);
    return typeof answer === 'string' ? answer : undefined;
  }
}
