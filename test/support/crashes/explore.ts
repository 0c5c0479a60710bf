import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { onceFor } from '../../../src/api/once.ts';
import type { World } from '../../../src/emulator/world.ts';
import { parseWave } from '../../../src/state/wave.ts';
import { actionsOf } from '../faults.ts';
import { readsInBulk, testBulk } from '../profile.ts';
import { effort } from '../whole.ts';
import { operationOf } from '../faults.ts';
import { likenessOf, situationOf } from './likeness.ts';
import type { Files } from './memory-disk.ts';
import type { Ended, Moment, Place, Task } from './process.ts';
import { inFlightTimeoutMs, readState, runProcess } from './process.ts';

/** A run that may end at any moment, and what it begins with. */
export interface Story {
  readonly start: Place;
  readonly task: Task;
  /** What the next process is told, when that is something else. */
  readonly next?: Task;
  /** How often a process ends in the middle: what the next one does may be cut short too. */
  readonly crashes: number;
  /** Of the situations after the last crash, each `every`-th is run on; 1, all of them, by default. */
  readonly every?: number;
  /** Of those after a crash before the last, each so many-th is run on until the next crash; all of them by default. */
  readonly everyBefore?: number;
  /** Bytes of the journal, `step` apart, are tried as the last one that was written. */
  readonly tears: boolean;
  /** The platform shows what is made to nobody: when its create got lost, nobody knows, and it is not sent again. */
  readonly isUnseen?: boolean;
  /** What may be otherwise in the end: text in the likeness of a row. */
  readonly excused?: RegExp | undefined;
  /** Told of each moment at which a process ends. */
  readonly onMoment?: (moment: Moment) => void;
}

/** How much was tried. */
export interface Explored {
  /** Moments at which a process could end. */
  readonly moments: number;
  /** Different things that a process found when it began. */
  readonly situations: number;
  /** Bytes of the journal that were tried as the last one. */
  readonly bytes: number;
}

/** A place at which a process ended, and how it came to that. */
export interface Crash {
  readonly place: Place;
  readonly how: string;
}

/**
 * Lets a process end at each moment of a run, with each thing that may become of its requests, and another one begin.
 * That one has to come to what the undisturbed run comes to; with several crashes so has the one that follows it.
 */
export async function explore({ start, task, next: again = task, ...how }: Story): Promise<Explored> {
  const { crashes, every = 1, everyBefore = 1, tears, isUnseen = false, excused, onMoment } = how;
  const seen = new Set<string>();
  let bytes = 0;
  let moments = 0;
  const wanted = await runProcess(start, again);
  expect(readsInBulk(wanted.platform.emulator)).toBe(testBulk);
  const expectEnd = (ended: Ended, how: string) => expectSettled(ended, { wanted, isUnseen, excused, how });
  expectEnd(wanted, 'undisturbed');
  let begins: readonly Crash[] = [{ place: start, how: '' }];
  for (let depth = 1; depth <= crashes; depth++) {
    const next: Crash[] = [];
    for (const { place, how: before } of begins.filter((_, index) => index % everyBefore === 0)) {
      const told: Moment[] = [];
      const tell = (moment: Moment) => void told.push(moment);
      const ended = await runProcess(place, depth === 1 ? task : again, tell).catch(after(before));
      if (depth > 1) expectEnd(ended, before);
      moments += told.length;
      for (const moment of told) {
        onMoment?.(moment);
        if (tears && depth === 1) bytes += await expectEveryByte(moment);
        for (const crash of crashesAt(moment, tears && depth === 1)) {
          const situation = await describe(crash.place);
          if (seen.has(situation)) continue;
          seen.add(situation);
          next.push({ place: crash.place, how: `${before}\n  ended: ${crash.how}` });
        }
      }
    }
    begins = next;
  }
  for (const { place, how: before } of begins.filter((_, index) => index % every === 0)) {
    expectEnd(await runProcess(place, again).catch(after(before)), before);
  }
  return { moments, situations: seen.size, bytes };
}

/**
 * Lets a process end while creates are on their way that land when the next process is over, long after the in-flight timeout. Each
 * may make one object too many then, and the plan tells of it. Gives how many objects there were too many.
 */
export async function exploreLateCreates({ start, task }: Pick<Story, 'start' | 'task'>): Promise<number> {
  const wanted = await runProcess(start, task);
  const told: Moment[] = [];
  await runProcess(start, task, (moment) => void told.push(moment));
  let duplicates = 0;
  for (const { what, place } of told) {
    const creates = place.underway.filter(({ request }) => /\.create[A-Z]?\w*$/.test(operationOf(request)));
    if (creates.length === 0) continue;
    const next = await runProcess({ ...place, at: place.at + 1_000, underway: [] }, task);
    expectSettled(next, { wanted, how: what });
    const late = creates.map(({ request, sentAt }) => ({ request, sentAt, landsAt: next.place.at }));
    const after = await runProcess({ ...next.place, at: next.place.at + 1_000, underway: late }, task);
    const [have, want] = [after, wanted].map(({ platform }) => likenessOf(platform.emulator.world, undefined));
    // What the platform makes along with an object comes twice too, and who may see an object is a list that grows.
    const tables = creates.map(({ request }) =>
      operationOf(request)
        .replace(/\.create.*$/, '')
        .replace(/^(mount|redirect|volumeBackup)s$/, '$1'),
    );
    const extra = missingFrom(have ?? [], want ?? []).filter((row) =>
      tables.some((one) => row.startsWith(`["${one}"`)),
    );
    const lost = missingFrom(want ?? [], have ?? []).filter((row) => !row.startsWith('["member"'));
    const warnings = new Set(after.said.filter((text) => text.startsWith('duplicate:')));
    expect([lost, actionsOf(after.left)], what).toEqual([[], []]);
    expect(extra.length, what).toBeLessThanOrEqual(creates.length);
    expect(warnings.size, `${what}: ${extra.join()}`).toBe(extra.length);
    duplicates += extra.length;
  }
  return duplicates;
}

/** Says how it came to a failure. */
function after(how: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)}${how}`, { cause: error });
  };
}

/** What may become of what was under way when a process ended. */
export function crashesAt({ what, place, appended }: Moment, tears: boolean): Crash[] {
  const { underway, at } = place;
  // The next process begins a little later.
  const then = (landing: readonly (number | undefined)[], how: string, files: Files = place.files): Crash => ({
    place: {
      ...place,
      files,
      at: at + 1_000,
      underway: underway.flatMap(({ request, sentAt }, index) => {
        const landsAt = landing[index];
        return landsAt === undefined ? [] : [{ request, sentAt, landsAt }];
      }),
    },
    how: `${what}${underway.length === 0 ? '' : ` (${underway.map(({ request }) => operationOf(request)).join(', ')} ${how})`}`,
  });
  const found = [then([], 'lost')];
  if (underway.length > 0) {
    found.push(
      then(
        underway.map(() => at),
        'executed',
      ),
      then(
        underway.map(({ sentAt }) => sentAt + inFlightTimeoutMs - 1_000),
        'executed within the in-flight timeout',
      ),
    );
  }
  if (underway.length > 1) {
    found.push(then([at], 'only the first executed'));
    found.push(
      then(
        underway.map(({ sentAt }, index) => (index === 0 ? sentAt + inFlightTimeoutMs - 1_000 : undefined)),
        'only the first executed, within the in-flight timeout',
      ),
    );
  }
  if (tears && appended !== undefined && what.endsWith('.journal')) {
    const text = appended.slice(0, Math.ceil(appended.length / 2));
    found.push(then([], 'lost', withAppended(place.files, text)));
  }
  return found;
}

/** Each 31st byte of a record is tried as its last one, each seventh by `TRUEUP_TESTS=all`, and all in a soak. */
const step = effort({ fast: 31, all: 7, soak: 1 });

/** Whatever part of a record was written when the process ended, the state is what it was before. */
async function expectEveryByte({ what, place: { files }, appended }: Moment): Promise<number> {
  if (appended === undefined || !what.endsWith('.journal')) return 0;
  const before = JSON.stringify(await readState(files));
  const whole = Buffer.from(appended);
  for (let length = 1; length < whole.length; length += step) {
    const torn = withAppended(files, whole.subarray(0, length).toString('utf8'));
    const after = JSON.stringify(await readState(torn));
    if (after !== before) expect(after, `${what}, torn after ${length} bytes`).toBe(before);
  }
  const { resources = {}, deployments = {} } = (await readState(withAppended(files, appended))) ?? {};
  const wave = parseWave(JSON.parse(appended.slice(appended.indexOf('['))), 4);
  expect(wave, what).toBeDefined();
  for (const [address, content, part] of wave ?? []) {
    const held = part === undefined ? resources[address] : deployments[address];
    expect(held ?? null, what).toEqual(content);
  }
  return whole.length;
}

function withAppended(files: Files, text: string): Files {
  return new Map(
    [...files].map(([path, file]) => [path, path.endsWith('.journal') ? { ...file, text: file.text + text } : file]),
  );
}

/** The digest of what stands on a platform and in files: the places after one moment mostly have the same. */
const situationAt = onceFor((platform: Place['platform']) =>
  onceFor(async (files: Files) => digestOf(situationOf(JSON.parse(platform.world) as World, await readState(files)))),
);

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** What a process finds when it begins at a place, and what is still to come. */
async function describe({ platform, files, underway, at }: Place): Promise<string> {
  const journal = [...files].find(([path]) => path.endsWith('.journal'))?.[1].text ?? '';
  const coming = underway.map(({ request, landsAt }) => [request.path, request.body, landsAt > at]);
  const text = [
    await situationAt(platform)(files),
    JSON.stringify(coming),
    JSON.stringify(platform.running),
    journal.endsWith('\n') || journal === '',
  ];
  return digestOf(text.join('\n'));
}

/** Everything is as after the undisturbed run, nothing is left to do, and nothing was done that was not needed. */
function expectSettled(
  ended: Ended,
  { wanted, how, isUnseen = false, excused }: Pick<Story, 'isUnseen' | 'excused'> & { wanted: Ended; how: string },
): void {
  const problems = [
    ...ended.failures,
    ...actionsOf(ended.left).map((action) => `left to do: ${action}`),
    ...ended.platform.stale().map((id) => `not deployed: ${id}`),
    ...ended.said.filter((text) => text.startsWith('repeated') || isDuplicate(text)),
  ];
  if (ended !== wanted) {
    const [have, want] = [ended, wanted].map(({ platform, state }) => likenessOf(platform.emulator.world, state)) as [
      string[],
      string[],
    ];
    problems.push(...missingFrom(have, want).map((row) => `one too many: ${row}`));
    const lost = missingFrom(want, have).map((row) => `lost: ${row}`);
    if (!isUnseen || lost.length === 0) problems.push(...lost);
    else problems.splice(0, problems.length, ...problems.filter((text) => !text.includes('"id":null')));
  }
  expect(excused === undefined ? problems : problems.filter((text) => !excused.test(text)), how).toEqual([]);
}

/** Whether a plan lists a duplicate; of a git host that no list shows yet, every first create says that there may be one. */
function isDuplicate(text: string): boolean {
  return text.startsWith('duplicate') && !text.includes('if an earlier state had it');
}

/** What is oftener in a list than in another one. */
function missingFrom(list: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}
