import { describe, expect, test } from 'vitest';
import { carrierOf, choosesId } from '../../src/kind/row-values.ts';
import { explore, exploreLateCreates } from '../support/crashes/explore.ts';
import { imageOf } from '../support/crashes/platform.ts';
import type { Place, Task } from '../support/crashes/process.ts';
import { runProcess } from '../support/crashes/process.ts';
import { simulateTimers } from '../support/crashes/timers.ts';
import type { Stand } from '../support/kind-manifests.ts';
import {
  addressOf,
  bodyTag,
  bodyWith,
  keptKey,
  manifestWith,
  outcomeOf,
  renamedKey,
  stands,
  withField,
} from '../support/kind-manifests.ts';
import { kindBench, worldWithMember } from '../support/kind-world.ts';
import { effort, isSampled, isSoak } from '../support/whole.ts';

/**
 * For each kind, and for each thing that can be done with it: the process ends at each moment of that, and at many a byte
 * of each record, and whatever became of its requests, the next one finishes it.
 */

simulateTimers();

const made = kindBench();
const testIf = (condition: boolean) => (condition ? test : test.skip);
const manifestOf = (text: string) => made.manifest(text);

/** What is done with one object: applied one after the other, and the last of them may end in the middle. */
interface Story {
  readonly before: readonly string[];
  readonly after: string;
  /** What the manifest of the next process says, when it is another one. */
  readonly next?: string;
  /** It is replaced on purpose; the next process is not asked for that. */
  readonly isReplaced?: true;
  /** The state is lost before. */
  readonly isAdopted?: true;
}

/** Volumes stay when their database is deleted, and who may see an object is remembered longer than that is there. */
const leftByDeletion = /^[\w ]+: \["(volume|member)"|"databaseRootPassword"/;

/** What no list shows: a run that does not declare it any more cannot find the one whose create got no answer. */
const unlisted = /^one too many: \["(gitlab|gitProvider)"/;

/** Of the pairs of crashes between two manifests few are tried: each third first one, and then each 13th; a soak tries all. */
const [everyBefore, every] = effort({ fast: [3, 13], all: [1, 25], soak: [1, 1] });

/** Everything that can be done with an object of a kind. */
function storiesOf(stand: Stand): [string, Story][] {
  const { kind, body } = stand;
  const empty = manifestWith(stand, undefined);
  const full = manifestWith(stand, body);
  const renamed = { key: renamedKey(stand) };
  const moved = [{ from: addressOf(stand), to: addressOf(stand, renamed) }];
  const stories: [string, Story][] = [
    ['is removed', { before: [full], after: empty }],
    ['is adopted', { before: [full], after: full, isAdopted: true }],
  ];
  if (kind.isSingle !== true) {
    const after = manifestWith(stand, keptKey(stand), { ...renamed, moved });
    stories.push(['gets another key', { before: [full], after }]);
  }
  if (kind.operations.create !== undefined) stories.unshift(['is created', { before: [empty], after: full }]);
  if (kind.operations.create !== undefined && kind.operations.delete !== undefined) {
    stories.push(
      ['is created and is not in the next manifest', { before: [empty], after: full, next: empty }],
      ['is removed and is in the next manifest', { before: [full], after: empty, next: full }],
    );
    // Without an id nobody can replace it.
    if (kind.identity.listedOnce === undefined)
      stories.push(['is replaced on purpose', { before: [full], after: full, next: full, isReplaced: true }]);
  }
  if (kind.operations.move !== undefined) {
    const there = { environment: 'preview' };
    const moves = [{ from: addressOf(stand), to: addressOf(stand, there) }];
    stories.push(['is moved', { before: [full], after: manifestWith(stand, body, { ...there, moved: moves }) }]);
  }
  for (const name of changing(stand)) {
    const [first, second] = kind.fields[name]?.examples ?? [];
    if (first === undefined || second === undefined) continue;
    const field = kind.fields[name];
    const does = field !== undefined && outcomeOf(field) === 'replace' ? 'is replaced' : 'is updated';
    const [one, two] = [first, second].map((value) => manifestWith(stand, bodyWith(stand, name, value)));
    if (one === undefined || two === undefined) continue;
    const before = kind.operations.create === undefined ? [full, one] : [one];
    stories.push([`${does} (${name})`, { before, after: two }]);
    // Leaving a case of a union leaves what was said in it.
    const isCase = kind.unions?.some(({ tag }) => tag === name) === true && does === 'is updated';
    if (kind.operations.create === undefined || kind.operations.delete === undefined || isCase) continue;
    stories.push(
      [`${does} (${name}) and is as before in the next manifest`, { before, after: two, next: one }],
      [`is created and differs in the next manifest (${name})`, { before: [empty], after: one, next: two }],
    );
  }
  return stories;
}

/** One field for each operation by which a kind is changed, and one of those that make a new object of it. */
function changing(stand: Stand): string[] {
  const { kind } = stand;
  const found = new Map<string, string>();
  for (const [name, field] of Object.entries(kind.fields)) {
    const [first, second] = field.examples;
    if (withField(stand, name, first) === undefined || second === undefined) continue;
    const carrier = carrierOf(kind, name, (tag) => bodyTag(stand, bodyWith(stand, name, first), tag));
    const outcome = outcomeOf(field);
    const way = outcome === 'replace' ? 'replace' : carrier;
    if (outcome === 'refuse' || way === undefined || found.has(way)) continue;
    found.set(way, name);
  }
  return [...found.values()];
}

/** Connects what waits for a person to do that. */
async function startOf(stand: Stand, { before, isAdopted }: Story): Promise<Place> {
  let place: Place = { platform: imageOf(worldWithMember()), files: new Map(), at: 0, underway: [] };
  for (const text of before) {
    const { failures, place: after } = await runProcess(place, { manifest: await manifestOf(text), adoption: true });
    expect(failures).toEqual([]);
    place = after;
  }
  return isAdopted === true ? { ...place, files: new Map() } : place;
}

/** Below these a mount or a backup takes the same requests as below a MariaDB. */
const likeMariadb = new Set(['mysql', 'mongo', 'libsql']);

/** The first stand of each kind below each kind of parent. */
const places = new Map<string, Stand>();
for (const stand of stands()) {
  if (likeMariadb.has(stand.parent)) continue;
  const name = `${stand.kind.kind} below ${stand.parent}`;
  if (!places.has(name)) places.set(name, stand);
}

/** Kinds of which the platform refuses a second object with the same name. */
const refusesSecond: ReadonlySet<string> = new Set([
  'customRole',
  'dnsProvider',
  'network',
  'patch',
  'security',
  'tag',
  'vaultProvider',
]);

/** What CI tries in a place: in the first one of a kind each sixth story, in each other one each ninth, from another on. */
function triedIn(place: number, stand: Stand): [string, Story][] {
  const isFirst = [...places.values()].findIndex(({ kind }) => kind === stand.kind) === place;
  return storiesOf(stand).filter((_story, at) => isSoak || isSampled(place, at, isFirst ? 9 : 14));
}

describe.each([...places].map(([name, stand], place) => [name, stand, place] as const))('%s', (_, stand, place) => {
  test.each(triedIn(place, stand))('%s', async (_title, story) => {
    const start = await startOf(stand, story);
    const isTakenOver = story.isAdopted === true || stand.kind.operations.create === undefined;
    const replaces = story.isReplaced === true ? [addressOf(stand)] : [];
    const task: Task = { manifest: await manifestOf(story.after), adoption: isTakenOver, replaces };
    const isUnseen = stand.kind.identity.listedOnce !== undefined;
    const next = story.next === undefined ? task : { ...task, manifest: await manifestOf(story.next), replaces: [] };
    const tears = story.next === undefined;
    const excused = story.next === undefined ? undefined : isUnseen ? unlisted : leftByDeletion;
    const crashes = tears ? 1 : 2;
    const sample = tears ? {} : { every, everyBefore };
    const explored = await explore({ start, task, next, crashes, tears, isUnseen, excused, ...sample });
    expect(explored.situations).toBeGreaterThan(0);
  });

  testIf(stand.kind.operations.create !== undefined && stand.kind.identity.listedOnce === undefined)(
    'has one duplicate at most, which the plan reports, when its create lands long after the in-flight timeout',
    async () => {
      const start = await startOf(stand, { before: [manifestWith(stand, undefined)], after: '' });
      const manifest = await manifestOf(manifestWith(stand, stand.body));
      // Of an id that was ours to choose there can be no two, nor of a name or of settings that the platform has once.
      const { kind } = stand;
      const isOne = choosesId(kind) || refusesSecond.has(kind.kind) || kind.isSingle === true;
      expect((await exploreLateCreates({ start, task: { manifest } })) > 0).toBe(!isOne);
    },
  );
});
