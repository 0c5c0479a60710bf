import { describe, expect, it } from 'vitest';
import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { provocations, steady } from './provocations.ts';
import type { Ended } from './provoked.ts';
import { platform, reported } from './provoked.ts';
import { otherRemedies } from './other-remedies.ts';
import { remedies } from './remedies.ts';

/** Every remedy leads on: after it, the next run no longer reports its code, and nothing worse. */

const severities: readonly Diagnostic['severity'][] = ['note', 'warning', 'error'];
const names = Object.keys(codes) as Code[];

async function provoke(code: Code) {
  const made = platform();
  const found = await provocations[code](made);
  return { made, found, remedy: steady(found.find((item) => item.code === code)?.remedy ?? codes[code].remedy) };
}

const walks = names.flatMap((code) =>
  Object.entries(remedies[code]).flatMap(([part, how]) =>
    typeof how === 'function' ? [[code, part, how] as const] : [],
  ),
);

describe('the remedy', () => {
  it.each(names)('of %s is tested in each of its parts', async (code) => {
    const { remedy } = await provoke(code);
    const row = Object.entries(remedies[code]);
    expect(row.map(([part]) => part).join(' ')).toBe(remedy);
    expect(row.some(([, how]) => how !== 'fact')).toBe(true);
  });

  it.each(walks)('of %s leads on: %s', async (code, _part, walk) => {
    const { made, found } = await provoke(code);
    expect(await leadsOn(code, found, () => walk(made))).toEqual(better);
  });
});

describe('the other remedy', () => {
  const rows = Object.entries(otherRemedies);

  it.each(rows)('for %s is tested in each of its parts', async (_is, { code, provoke: provokeIt, row }) => {
    const found = await provokeIt(platform());
    expect(found.map((item) => item.code)).toContain(code);
    expect(found.map(({ remedy = '' }) => steady(remedy))).toContain(Object.keys(row).join(' '));
  });

  const otherWalks = rows.flatMap(([is, { code, provoke: provokeIt, row }]) =>
    Object.entries(row).flatMap(([part, how]) =>
      typeof how === 'function' ? [[is, part, { code, provokeIt, walk: how }] as const] : [],
    ),
  );

  it.each(otherWalks)('for %s leads on: %s', async (_is, _part, { code, provokeIt, walk }) => {
    const made = platform();
    expect(await leadsOn(code, await provokeIt(made), () => walk(made))).toEqual(better);
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
