import { Cron } from 'croner';
import * as z from 'zod';
import { cronProblem } from '../formats/cron.ts';
import { pathParts } from './codecs.ts';

/** Forms of values that the platform takes unchecked and that fail later, checked before any request. */

const label = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** A host name as RFC 1123 has it: no underscore, no wildcard, no scheme, no port. */
export const hostName = z
  .string()
  .max(253)
  .refine((host) => host.split('.').every((part) => label.test(part)), {
    message: 'is not a host name: letters, digits and hyphens between dots, without scheme, port or wildcard',
  });

/** A name that a line of text can show. */
export const readableName = z
  .string()
  .min(1, { abort: true })
  .regex(/^(?=.*\S)[^\n\r\u2028\u2029]*$/, 'must be one line with a visible character');

/** A TCP port. */
export const port = z.number().int().min(1).max(65_535);

const cronForm =
  'is not a cron expression: five fields (minute hour day month weekday), as in "0 3 * * *", six with the second first, or a word such as @daily';

/** A cron expression of five fields, or six with seconds first, or a word such as `@daily`. */
export const cron = z.string().refine((expression) => cronProblem(expression) === undefined, {
  error: ({ input }) =>
    typeof input === 'string' ? `is not a cron expression: ${cronProblem(input) ?? ''}` : cronForm,
  params: { ofSecrets: cronForm },
});

const zoneForm = 'is not a time zone of the IANA database, such as Europe/Berlin or UTC';

/** A time zone by its name in the IANA database. */
export const timeZone = z.string().refine(isTimeZone, { error: zoneForm, params: { ofSecrets: zoneForm } });

/** Offsets such as +02:00 are none: the platform knows names only. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The words of names that the platform makes up, as it joins them. Source: generateAppName of v0.30.2, and the hacker words of
 * faker 8.4.1. Any other words are a name that a person gave.
 */
const verbs = `back-up bypass calculate compress connect copy generate hack index input navigate override parse program
  quantify reboot synthesize transmit`;
const adjectives = `1080p auxiliary back-end bluetooth cross-platform digital haptic mobile multi-byte neural online open-source
  optical primary redundant solid-state virtual wireless`;
const nouns = `alarm application array bandwidth bus capacitor card circuit driver feed firewall hard-drive interface matrix
  microchip monitor panel pixel port program protocol sensor system transmitter`;

/** A name that the platform makes up: a word for the kind, three words, six characters. */
export const madeUpName = new RegExp(
  `^[A-Za-z]+-${[verbs, adjectives, nouns].map((words) => `(?:${words.split(/\s+/).join('|')})`).join('-')}-[a-z0-9]{6}$`,
);

/** A path of a file below a folder: no way up. The platform takes a `/` before it, which means nothing. */
export const pathBelow = z
  .string()
  .min(1)
  .refine((path) => !path.endsWith('/') && pathParts(path).length > 0 && !path.split('/').includes('..'), {
    message: 'has to be the path of a file below the folder of files, without ".."',
  });

/** A path below a folder that the platform writes into a command in double quotes: generateApplyPatchesCommand of v0.30.2. */
export const quotedPathBelow = pathBelow.refine(
  (path) => !/["$`\\]/.test(path),
  'may hold none of " $ ` \\: the platform writes the path into a command of a shell',
);

/** The signs that a shell reads beside blanks, for sentences. */
export const signsOfShell = '| & ; < > ( ) $ ` \\ " \' * ? [ ]';

/** A text that the platform writes into the command of a build without quotes. Source: utils/builders of v0.30.2. */
export const wordOfBuild = z
  .string()
  .min(1)
  .refine(
    (text) => !isReadByShell(text),
    `may hold no blank, and none of ${signsOfShell}: the platform writes it into a command of a shell without quotes`,
  );

/** Whether a shell reads a text as something else than itself, where no quotes stand around it. */
export function isReadByShell(text: string): boolean {
  return /[\s|&;<>()$`\\"'*?[\]]/.test(text);
}

/** The days between two runs of a cron expression, on average; Infinity for one that never runs or cannot be read. */
export function daysBetweenRuns(expression: string): number {
  if (cronProblem(expression) !== undefined) return Infinity;
  const runs = runsOf(expression);
  const [first, last] = [runs[0]?.getTime(), runs.at(-1)?.getTime()];
  return first === undefined || last === undefined || runs.length < 2
    ? Infinity
    : (last - first) / (runs.length - 1) / (24 * 60 * 60 * 1000);
}

/** The first 100 runs; none of an expression that only the platform can read. */
function runsOf(expression: string): readonly Date[] {
  try {
    return new Cron(expression, { paused: true, timezone: 'UTC' }).nextRuns(100, '2023-01-01T00:00:00');
  } catch {
    return [];
  }
}
