import { describe, expect, it } from 'vitest';
import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { provocations, steady } from './provocations.ts';
import type { Bench } from '../support/world.ts';
import type { Ended, Provocation } from './provoked.ts';
import { platform, reported } from './provoked.ts';
import { otherRemedies } from './other-remedies.ts';
import { remedies } from './remedies.ts';

/** Every remedy leads on: after it, the next run no longer reports its code, and nothing worse. */

const severities: readonly Diagnostic['severity'][] = ['note', 'warning', 'error'];
const names = Object.keys(codes) as Code[];

/** Provoked runs whose remedy was looked at: the first walk of each goes on from there. */
const provoked = new Map<string, Promise<Provoked>>();

interface Provoked {
  readonly made: Bench;
  readonly found: readonly Diagnostic[];
}

/** Provokes what a row is about on a platform of its own, for a look at its remedy. */
function look(row: string, provocation: Provocation): Promise<Provoked> {
  const begun = provoke(provocation);
  provoked.set(row, begun);
  return begun;
}

/** Gives a provoked run to a walk. */
function forWalk(row: string, provocation: Provocation): Promise<Provoked> {
  const looked = provoked.get(row);
  provoked.delete(row);
  return looked ?? provoke(provocation);
}

async function provoke(provocation: Provocation): Promise<Provoked> {
  const made = platform();
  return { made, found: await provocation(made) };
}

const walks = names.flatMap((code) =>
  Object.entries(remedies[code]).flatMap(([part, how]) =>
    typeof how === 'function' ? [[code, part, how] as const] : [],
  ),
);

describe('the remedy', () => {
  it.each(names)('of %s is tested in each of its parts', async (code) => {
    const { found } = await look(code, provocations[code]);
    const remedy = steady(found.find((item) => item.code === code)?.remedy ?? codes[code].remedy);
    const row = Object.entries(remedies[code]);
    expect(row.map(([part]) => part).join(' ')).toBe(remedy);
    expect(row.some(([, how]) => how !== 'fact')).toBe(true);
  });

  it.each(walks)('of %s leads on: %s', async (code, _part, walk) => {
    const { made, found } = await forWalk(code, provocations[code]);
    expect(await leadsOn(code, found, () => walk(made))).toEqual(better);
  });
});

describe('the other remedy', () => {
  const rows = Object.entries(otherRemedies);

  it.each(rows)('for %s is tested in each of its parts', async (is, { code, provoke: provocation, row }) => {
    const { found } = await look(is, provocation);
    expect(found.map((item) => item.code)).toContain(code);
    expect(found.map(({ remedy = '' }) => steady(remedy))).toContain(Object.keys(row).join(' '));
  });

  const otherWalks = rows.flatMap(([is, { code, provoke: provocation, row }]) =>
    Object.entries(row).flatMap(([part, how]) =>
      typeof how === 'function' ? [[is, part, { code, provocation, walk: how }] as const] : [],
    ),
  );

  it.each(otherWalks)('for %s leads on: %s', async (is, _part, { code, provocation, walk }) => {
    const { made, found } = await forWalk(is, provocation);
    expect(await leadsOn(code, found, () => walk(made))).toEqual(better);
  });
});

/** What the next run says that a walk ends in: whether it leads on from what was found. */
async function leadsOn(code: Code, found: readonly Diagnostic[], walk: () => Promise<Ended>) {
  const known = new Set(found.map((item) => item.code));
  const least = Math.max(1, severities.indexOf(codes[code].severity));
  const next = await reported(walk);
  return {
    wasReported: known.has(code),
    isReported: next.some((item) => item.code === code),
    worse: next.filter((item) => !known.has(item.code) && severities.indexOf(item.severity) >= least),
  };
}

const better = { wasReported: true, isReported: false, worse: [] };
