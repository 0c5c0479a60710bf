import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { driftAcceptDocument } from '../../drift/drift-document.ts';
import { foreignTo } from '../../git/run-git.ts';
import { readRepositories, repositoryAround } from '../../git/repository.ts';
import { isTooFar } from '../../plan/find-acceptance.ts';
import { acceptDrift, refuseWrites } from '../../drift/drift-run.ts';
import { loadManifest } from '../../project/load.ts';
import type { DriftAcceptDocument } from '../../render/document-schemas.ts';
import { renderDriftAccept } from '../../render/drift-text.ts';
import { reportFormats } from '../../render/output-format.ts';
import { isoTime } from '../../state/clock.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor, withConnection } from '../connect.ts';
import { driftedField } from '../option-sets.ts';
import { usage } from '../settle-options.ts';

const formats = reportFormats<DriftAcceptDocument>({
  text: (document, { out, outStyle }) => out(renderDriftAccept(document, outStyle)),
  json: (document) => document,
});

/** Accepts what drifted at an address until a day. Sends GETs only, and writes the file of accepted drift. */
export const command = defineCommand({
  arguments: { '<address>': 'address, as trueup drift prints it, or the id of an object without one' },
  options: {
    ...driftedField,
    '--until <day>': 'last day on which it may stay, such as 2027-01-31; required',
    '--because <text>': 'the reason; required',
    '--by <name>': 'who accepts it; default: user.name of git',
  },
  examples: [
    "trueup drift accept production.compose.shop --until 2027-01-31 --because 'vendor moves us'",
    "trueup drift accept production.redis.cache --field dockerImage --until 2027-01-31 --because 'hot fix' --by ops",
  ],
  formats,
  execute: async (run, view, { args: [subject = ''], flags: { field: fields = [], ...flags } }) => {
    const { options } = run;
    const now = run.clock.wall();
    const until = readDay(flags.until, isoTime(now).slice(0, 10));
    const because = readText('--because', flags.because);
    const by = flags.by === undefined ? await nameInGit(run) : readText('--by', flags.by);
    const { manifest } = await loadFor(run, loadManifest);
    const purpose = { purpose: 'drift accept', mayWrite: refuseWrites };
    return withConnection(run, manifest.settings, purpose, async (connection) => {
      const request = { subject, fields, until, because, by };
      view.report(driftAcceptDocument(await acceptDrift(manifest, connection, { folder: options, now, request })));
      return 'done';
    });
  },
});

/** The last day of an acceptance. @throws {Stop} `usage` */
function readDay(text: string | undefined, today: string): string {
  const time = text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text) ? Number.NaN : Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(time) && isoTime(time).slice(0, 10) === text;
  if (text === undefined || !isDay) {
    const got = text === undefined ? 'nothing' : JSON.stringify(text);
    throw usage(`--until must be a day such as ${today}, got ${got}`, 'Write the last day on which it may stay.');
  }
  if (text < today)
    throw usage(`--until ${text} has passed: today is ${today} in UTC`, 'Write a day that is still to come.');
  if (isTooFar(text, today))
    throw usage(`--until ${text} is more than a year away`, 'Write a day within a year: then a person looks again.');
  return text;
}

/** A text of an option, on one line. @throws {Stop} `usage` */
function readText(name: string, text: string | undefined): string {
  const line = (text ?? '').replaceAll(/\s+/g, ' ').trim();
  if (line === '')
    throw usage(
      `${name} is missing or empty`,
      `Write ${name} TEXT: it stands beside the acceptance, for its reviewers.`,
    );
  if (line.length > 500) throw usage(`${name} must have at most 500 characters, got ${line.length}`);
  return line;
}

/** The name of the user as git has it for this folder. @throws {Stop} `usage`, when git has none */
async function nameInGit({ options }: Run): Promise<string> {
  const { PATH = '', HOME, XDG_CONFIG_HOME } = options.env;
  const folder = await realpath(options.folder);
  const { root = folder } = (await repositoryAround(folder, readRepositories())) ?? {};
  const env = { PATH: await foreignTo(root, PATH), HOME, XDG_CONFIG_HOME, GIT_TERMINAL_PROMPT: '0' };
  const name = await new Promise<string>((resolve) => {
    const about = { cwd: folder, env, timeout: 10_000, maxBuffer: 10_000 };
    execFile('git', ['config', '--get', 'user.name'], about, (error, out) => resolve(error === null ? out : ''));
  });
  if (name.trim() !== '') return readText('--by', options.redactor.redact(name));
  throw usage('git has no user.name here', 'Write --by with the name of who accepts it.');
}
