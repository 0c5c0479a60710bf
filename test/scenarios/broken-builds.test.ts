import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Build, Report } from '../support/broken-builds.ts';
import { isFull, thinned } from '../support/whole.ts';

/**
 * Builds of Trueup in which one of the mechanisms is switched off that keep objects from being lost or made twice. The
 * tests that are about that have to fail; with the build as it is they pass. Every run of the tests checks that each
 * change still fits the source; the builds are made where everything is tried.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Breakage {
  readonly file: string;
  readonly line: string;
  readonly instead: string;
  /** The tests that notice: a file, and a regular expression for their titles. */
  readonly noticedBy: readonly [file: string, title: string];
}

const kinds = 'test/scenarios/crashes-of-kinds.test.ts';

const builds: readonly (readonly [string, Breakage])[] = [
  [
    'writes no journal',
    {
      file: 'src/apply/journal.ts',
      line: '      if (how === undefined) await append();\n',
      instead: '',
      noticedBy: [kinds, 'backup below postgres is created$'],
    },
  ],
  [
    'does not wait until requests of an earlier run cannot land any more',
    {
      file: 'src/state/wait-out.ts',
      line: 'if (inFlightTimeoutMs === 0 || quietMs >= longestTimeoutMs) return 0;',
      instead: 'return 0;',
      noticedBy: [kinds, 'backup below postgres is created$'],
    },
  ],
  [
    'does not wait for a holder whose lock was taken away',
    {
      file: 'src/state/wait-out.ts',
      line: 'if (timeouts.length === 0 && lease?.inherited?.wasRemoved !== true) return 0;',
      instead: 'if (timeouts.length === 0) return 0;',
      noticedBy: ['test/state/wait-out.test.ts', ''],
    },
  ],
  [
    'does not ask the place whether its lock was taken away',
    {
      file: 'src/state/keep-lease.ts',
      line: 'if ((await register.isNewest?.(seen, () => check(kept))) === false) {',
      instead: 'if (seen === undefined) {',
      noticedBy: ['test/state/backends/memory.test.ts', 'that was removed'],
    },
  ],
  [
    'does not look for a create that got no answer until its in-flight timeout has passed',
    {
      file: 'src/apply/create.ts',
      line: 'return (sentAt(job) ?? now) + run.input.inFlightTimeoutMs;',
      instead: 'return sentAt(job) ?? now;',
      noticedBy: ['test/scenarios/lost-creates.test.ts', 'a create'],
    },
  ],
  [
    'does not know what was there before a create',
    {
      file: 'src/apply/apply-run.ts',
      line: 'new Set([...plan.observed.listed, ...known])',
      instead: 'new Set()',
      noticedBy: ['test/scenarios/lost-creates.test.ts', 'a create'],
    },
  ],
  [
    'forgets that a create was sent before',
    {
      file: 'src/apply/apply-run.ts',
      line: 'createsObject(action) && known?.id === null && pending !== undefined',
      instead: 'createsObject(action) && known === undefined && pending !== undefined',
      noticedBy: ['test/scenarios/pending-operations.test.ts', 'sends again'],
    },
  ],
  [
    'writes although its lock is lost',
    {
      file: 'src/state/keep-lease.ts',
      line: 'if (end !== undefined) throw lockLost(register.of, end.why);',
      instead: '',
      noticedBy: ['test/state/lease.test.ts', ''],
    },
  ],
  [
    'takes a torn record for a whole one',
    {
      file: 'src/state/wave.ts',
      line: "return line[8] === ' ' && sum === checksum(text) ? text : undefined;",
      instead: 'return sum === undefined ? undefined : text;',
      noticedBy: ['test/state/backends/local.test.ts', ''],
    },
  ],
  [
    'leaves its journal in the memory of the system',
    {
      file: 'src/state/disk.ts',
      line: 'sync: () => handle.datasync()',
      instead: 'sync: () => Promise.resolve()',
      noticedBy: ['test/state/disk.test.ts', ''],
    },
  ],
  [
    'takes every object that the state names for one of the project',
    {
      file: 'src/observe/ownership.ts',
      line: 'if (isOurs) return undefined;',
      instead: 'if (isOurs || places.length > 0) return undefined;',
      noticedBy: ['test/security/forged-state.test.ts', 'S1: plan sends no POST'],
    },
  ],
  [
    'asks nothing of the platform before a command without a plan',
    {
      file: 'src/observe/ownership.ts',
      line: 'return problems.filter((problem) => problem !== undefined);',
      instead: 'return problems.slice(problems.length);',
      noticedBy: ['test/security/forged-state.test.ts', 'S1: status shows nothing'],
    },
  ],
  [
    'writes to a service that was moved since the plan',
    {
      file: 'src/apply/freshness.ts',
      line: 'if (planned === undefined || now === undefined || now === planned) return undefined;',
      instead: 'if (planned === now || address !== undefined) return undefined;',
      noticedBy: ['test/security/moved-away.test.ts', 'S1: is not'],
    },
  ],
];

test.each(builds)('the change of a build that %s fits one place of the source', (_, { file, line, noticedBy }) => {
  expect(readFileSync(join(root, file), 'utf8').split(line)).toHaveLength(2);
  expect(existsSync(join(root, noticedBy[0]))).toBe(true);
});

const asItIs = 'as it is';

/** The builds that are made: below the tier `all` every fourth one. */
const tried = thinned(builds, 8);

/** Runs the tests of the builds, and with the build as it is all of those tests. */
function runBuilds(): Promise<Report> {
  const titles = new Map<string, string[]>();
  for (const [, { noticedBy }] of tried) titles.set(noticedBy[0], [...(titles.get(noticedBy[0]) ?? []), noticedBy[1]]);
  const tests = [...titles].map(([file, some]) => [file, some.join('|')] as const);
  const input: Build[] = [
    { name: asItIs, tests },
    ...tried.map(([name, { file, line, instead, noticedBy }]) => {
      return { name, change: { file, line, instead }, tests: [noticedBy] };
    }),
  ];
  const program = join(root, 'test/support/broken-builds.ts');
  const env = { ...process.env, VITEST: undefined, NODE_OPTIONS: '' };
  return new Promise((resolve, reject) => {
    const args = ['--import', 'tsx', program];
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, env, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => {
        if (error === null) resolve(JSON.parse(out) as Report);
        else reject(new Error(`the tests did not run: ${out}${err}`));
      },
    );
    child.stdin?.end(JSON.stringify(input));
  });
}

describe.runIf(isFull)('the builds', () => {
  let report: Report = {};
  beforeAll(async () => {
    report = await runBuilds();
  }, 600_000);

  test.each(tried)('a build that %s is noticed, and the build as it is passes', (name, { noticedBy: [, title] }) => {
    expect(report[name]?.failed).not.toEqual([]);
    const { failed = [], passed = [] } = report[asItIs] ?? {};
    expect([failed, passed.some((one) => new RegExp(title).test(one.replaceAll(' > ', ' ')))]).toEqual([[], true]);
  });
});
