import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { trueup } from '../cli/process.ts';
import { trueupInEveryFormat } from '../support/every-format.ts';
import { effort, isSoak } from '../support/whole.ts';
import type { Guess, Known, Place } from './guesses.ts';
import { guessesAt, knownSecrets, placesOf, randomOf } from './guesses.ts';

/**
 * A manifest tells nothing about a secret that its writer does not know. Two runs of one manifest that differ in a secret
 * only print the same: so the difference between two guesses never depends on which of them is right.
 *
 * Two things are left out, because docs/secrets.md says so: a guess that is the whole secret and that the platform stores,
 * once it is stored. It comes back as a text from elsewhere, and somebody could compare it with the field that has the secret.
 */

const known = knownSecrets();
const placesWith = placesOf(', USED: "${secret:X}"');
const placesWithout = placesOf('');
const isMentioned = ({ from }: Known) => from === 'TRUEUP_SECRET_X' || from === 'secrets.env';

/** A guess at a secret, and where it stands. */
interface Case {
  readonly secret: Known;
  readonly guess: Guess;
  readonly place: Place;
  /** Its number, by which commands are chosen where it is no soak. */
  readonly row: number;
}

/** By its name, every place with every form of a guess, each time of another secret. In a soak also with every secret. */
function cases(): ReadonlyMap<string, readonly Case[]> {
  const random = randomOf(7);
  const forms = guessesAt(known[0]!).length;
  const all = new Map<string, Case[]>();
  let found: Case[] = [];
  let row = 0;
  const take = (place: number, secret: Known, form: number) => {
    const guesses = guessesAt(secret);
    const guess = guesses[form % guesses.length];
    const one = (isMentioned(secret) ? placesWith : placesWithout)[place];
    if (guess !== undefined && one !== undefined) found.push({ secret, guess, place: one, row: row++ });
  };
  const step = effort({ fast: 32, all: 1 });
  for (let place = 0; place < placesWith.length; place++) {
    all.set(placesWith[place]?.name ?? '', (found = []));
    for (let form = place % step; form < forms; form += step)
      take(place, known[Math.floor(random() * known.length)]!, form);
    if (isSoak) for (const secret of known) take(place, secret, Math.floor(random() * forms));
  }
  return all;
}

const folder = join(mkdtempSync(join(tmpdir(), 'trueup-guess-')), 'shop');

/** Writes the files of a place into a folder that has nothing else. */
function write({ place, secret }: Case, guess: string, value: string): void {
  rmSync(folder, { recursive: true, force: true });
  const { 'trueup.yaml': manifest = '', ...others } = place.files(guess, JSON.stringify(guess));
  const head = ['trueup: 1', `platform: { url: "${server.url}" }`, 'project: prj_1'];
  if (secret.from === 'secrets.env') head.push('secrets: [{ file: secrets.env }]');
  const own = head.filter((line) => !manifest.startsWith(line.replace(/:.*/, ':')));
  const files = {
    'trueup.yaml': `${own.join('\n')}\n${manifest}`,
    ...(secret.from === 'secrets.env' ? { 'secrets.env': `X=${value}\n` } : {}),
    ...others,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const plan = ['plan', '--out', 'plan.trueup'];

/** Commands before anything is stored, in every format. A manifest with a mistake gets no further than the plan. */
const before = [
  ['validate'],
  ['fmt', '--check', '--diff'],
  plan,
  ['graph'],
  ['show', 'plan.trueup'],
  ['eval', 'environments'],
  ['eval', 'production'],
  ['explain', 'production'],
  ['output'],
  ['state', 'list'],
  ['doctor'],
];

const apply = ['apply', '--auto-approve', '--adopt', '--in-flight-timeout', '1'];

/** Commands that store the manifest on the platform, and read it there. */
const after = [
  apply,
  ['plan'],
  ['plan', '--destroy'],
  ['drift', '--no-remember'],
  ['status'],
  ['output'],
  ['explain', 'production'],
  ['state', 'show', 'production'],
  ['state', 'list'],
  ['destroy', '--auto-approve', '--allow-data-loss'],
];

/** A text without times, and without the marks of deployments. */
const steady = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d[T:][\d:.]+Z?/g, '<time>')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, '<duration>')
    .replaceAll(/"(ms|duration|seconds|milliseconds)": ?[\d.]+/g, '"$1":0')
    .replaceAll(/"trueup-[\w-]{12}"/g, '"<mark>"');

/** A platform that is another one for each run. Its ids are the same each time. */
let platform = createEmulator({ profile: 'standard' });
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve({ ...platform, send: async (request) => platform.send(request) });
});
afterAll(() => server.close());

/** What a run with a secret prints of a manifest: a line for each command. */
async function heard(one: Case, guess: string, value: string): Promise<ReadonlyMap<string, string>> {
  write(one, guess, value);
  const { from } = one.secret;
  const env = { TRUEUP_API_KEY: 'key-of-the-tests', ...(from === 'secrets.env' ? {} : { [from]: value }) };
  let ids = 0;
  platform = createEmulator({
    profile: 'standard',
    apiKey: env.TRUEUP_API_KEY,
    published: true,
    newId: () => `id-${String(ids++).padStart(18, '0')}`,
  });
  const result = new Map<string, string>();
  let isPlanned = false;
  const run = async (all: readonly (readonly string[])[], always: readonly string[]) => {
    for (const [index, words] of all.entries()) {
      if (!always.includes(words.join(' ')) && !isSoak && (one.row + index) % 5 > 0) continue;
      const writes = /^(?:apply|destroy)/.test(words[0] ?? '');
      const { code, out, err } = await (writes ? trueup : trueupInEveryFormat)(words, { cwd: folder, env });
      // Progress comes in the order of the answers.
      const text = writes ? [...new Set(out.split('\n'))].toSorted().join('\n') : out + err;
      // Apply reads a service once more where the first look after its deployment finds that it still runs.
      const counted = words === apply ? text.replaceAll(/\b\d+ reads?\b/g, '<reads>') : text;
      result.set(`${result.size} ${words.join(' ')}`, steady(`${code}\n${counted}`));
      if (words === plan) isPlanned = code === 0;
      if (words === plan && !isPlanned) return;
    }
  };
  await run(before, ['validate', plan.join(' ')]);
  if (!isPlanned || one.place.staysPlanned === true || (one.place.isField && one.guess.isWhole)) return result;
  await run(after, [apply.join(' '), 'drift --no-remember']);
  return result;
}

/** The lines of a text that another one does not have. */
function differing(one: string, other: string): string {
  const lines = new Set(other.split('\n'));
  return one
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n')
    .slice(0, 400);
}

describe('what a run prints of a manifest does not depend on a secret', () => {
  const all = cases();

  test('of 50 secrets', () => {
    expect(known.length).toBe(50);
    expect(known.every(({ secret }) => secret.length >= 8 && secret.length <= 200)).toBe(true);
    expect(placesWith.length).toBeGreaterThan(80);
  });

  test.each([...all])(
    'that is guessed as %s',
    async (_, tried) => {
      const told: string[] = [];
      for (const one of tried) {
        const { secret, guess } = one;
        const both = [guess.right, guess.wrong];
        for (const text of effort({ fast: [guess.right], full: guess.isMirrored ? [guess.right] : both, all: both })) {
          const [mine, others] = [await heard(one, text, secret.secret), await heard(one, text, secret.other)];
          for (const [words, printed] of mine)
            if (printed !== others.get(words))
              told.push(
                `${secret.from} ${JSON.stringify(secret.secret)}, guess ${guess.form} ${JSON.stringify(text)}, trueup ${words}:\n${differing(printed, others.get(words) ?? '')}\n---\n${differing(others.get(words) ?? '', printed)}`,
              );
        }
      }
      expect(told.slice(0, 3)).toEqual([]);
    },
    3_600_000,
  );
});
