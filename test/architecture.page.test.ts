import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Policy } from '../src/api/attempts.ts';
import { policies } from '../src/api/attempts.ts';
import type { JobEvent, Phase } from '../src/apply/job.ts';
import { advance } from '../src/apply/job.ts';
import { actionOf } from './support/plan-values.ts';
import { tableRows } from './docs/pages.ts';

/** ARCHITECTURE.md, the walk in docs/decisions.md and the attempts in docs/recovery.md, beside the code that they describe. */

const root = resolve(import.meta.dirname, '..');
/** A page, with one space where its tables have several. */
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll(/ {2,}\|/g, ' |');
const [page, decisions, recovery] = [read('ARCHITECTURE.md'), read('docs/decisions.md'), read('docs/recovery.md')];

/** The rows of the table of attempts: roles of one policy share a row. */
function attemptRows(all: Readonly<Record<string, Policy>>): string[] {
  const roles = new Map<string, string[]>();
  for (const [role, { lookFor, again, most, pauseMs, pauseGrowth }] of Object.entries(all)) {
    const pause = pauseMs === 0 ? 'none' : `${pauseMs} ms, then ${pauseGrowth} times as long`;
    const cells = `${lookFor} | ${again} | ${most === 1 ? 'once' : `${most} times`} | ${pause}`;
    roles.set(cells, [...(roles.get(cells) ?? []), role]);
  }
  return [...roles].map(([cells, names]) => `| ${names.join(', ')} | ${cells} |`);
}

describe('the table of attempts', () => {
  test('has a row for each policy, and no other', () => {
    const shown = tableRows(recovery, 'request').map((cells) => `| ${cells.join(' | ')} |`);
    expect(shown).toEqual(attemptRows(policies));
  });

  test('changes with the policies', () => {
    const { create, update } = policies;
    expect(attemptRows({ create, update: { ...update, most: 2 } })).toEqual([
      '| create | its object | after the in-flight timeout | 4 times | none |',
      '| update | its effect | at once | 2 times | 500 ms, then 2 times as long |',
    ]);
  });
});

const phases: readonly Phase[] = [
  { is: 'planned' },
  { is: 'announced' },
  { is: 'sent', at: 1, before: 'not sent' },
  { is: 'unknown', at: 1, reach: 'may be executed' },
  { is: 'answered', at: 1, reach: 'may be executed' },
  { is: 'failed', reach: 'may be executed' },
  { is: 'settled', reach: 'may be executed', result: 'done' },
];

const events: readonly JobEvent[] = [
  { is: 'announced' },
  { is: 'sent', at: 2 },
  { is: 'needless' },
  { is: 'answered' },
  { is: 'refused' },
  { is: 'lost', mayLandLater: true },
  { is: 'seen' },
  { is: 'failed' },
  { is: 'skipped' },
  { is: 'settled', result: 'done' },
];

describe('the diagram of an action', () => {
  const arrows = [...page.matchAll(/^ {2}(\w+) --> (\w+): (\w+)$/gm)];

  test.each(arrows.map(([, from = '', to = '', event = '']) => ({ from, to, event })))(
    '$from becomes $to by $event in the code too',
    ({ from, to, event }) => {
      const phase = phases.find(({ is }) => is === from);
      const happened = events.find(({ is }) => is === event);
      if (phase === undefined || happened === undefined) throw new Error(`the code has no ${from} or no ${event}`);
      const action = actionOf('production.redis.main');
      expect(advance({ action, phase }, happened).phase.is).toBe(to);
    },
  );

  test('shows every phase and every event', () => {
    expect(new Set(arrows.flatMap(([, from, to]) => [from, to]))).toEqual(new Set(phases.map(({ is }) => is)));
    expect(new Set(arrows.map(([, , , event]) => event))).toEqual(new Set(events.map(({ is }) => is)));
  });
});

describe('the walk', () => {
  const [, rest = ''] = decisions.split('## The walk of a newcomer');
  const [part = ''] = rest.split('\n## ');
  const calls = [...part.matchAll(/`(\w+)` \(?(?:in )?`([\w/-]+\.ts)`/g)];

  test('takes at most 18 calls', () => {
    const numbers = [...part.matchAll(/\| (\d+) \|/g)].map(([, number]) => Number(number));
    expect(Math.max(...numbers)).toBeLessThanOrEqual(18);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(calls.length).toBeGreaterThanOrEqual(numbers.length);
  });

  test('names functions that are in their files', () => {
    const missing = calls.filter(([, name = '', path = '']) => {
      const text = readFileSync(join(root, 'src', path), 'utf8');
      return !new RegExp(`(function|const) ${name}\\b|^ {4}${name}[:,]`, 'm').test(text);
    });
    expect(missing.map(([call]) => call)).toEqual([]);
  });
});

test('the page has at most two screens', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(130);
});

test('every file that the page and the walk name is there', () => {
  const named = [...`${page}\n${decisions}`.matchAll(/`((?:src\/|test\/|[a-z]+\/)[\w/-]+\.ts)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  const isThere = (path: string) => existsSync(join(root, path)) || existsSync(join(root, 'src', path));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
