import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Entry } from '../../src/drift/drift-memory.ts';
import { memoryText, parseMemory } from '../../src/drift/drift-memory.ts';

const entry: Entry = { kind: 'redis', objectId: 'red_1', field: 'dockerImage', is: 'drifted', since: '2026-03-01' };

const day = fc.constantFrom('2026-01-01', '2026-02-28', '2027-12-31');
const words = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 });
const entries: fc.Arbitrary<Entry[]> = fc.uniqueArray(
  fc.record(
    {
      address: words,
      field: words,
      kind: words,
      objectId: words,
      is: fc.constantFrom('drifted' as const, 'missing' as const, 'unmanaged' as const, 'duplicate' as const),
      since: day,
      digest: words,
      changes: fc.array(day, { minLength: 1, maxLength: 10 }),
      gone: day,
      accepted: fc.record({ until: day, because: words, by: words }),
    },
    { requiredKeys: ['kind', 'objectId', 'is', 'since'] },
  ),
  { selector: ({ kind, objectId, field }) => JSON.stringify([kind, objectId, field]), maxLength: 5 },
);

describe('a memory', () => {
  it('is read as it was written, whatever is in it, and written on whatever was there', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const text = memoryText(undefined, before);
        expect(text === undefined ? [] : parseMemory('drift.yaml', text)).toEqual(before);
        const next = memoryText(text, after) ?? text;
        expect(next === undefined ? [] : parseMemory('drift.yaml', next)).toEqual(after);
        expect(memoryText(next, after)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('is no file while nothing was ever found', () => {
    expect(memoryText(undefined, [])).toBeUndefined();
  });

  it('begins with what it is', () => {
    expect(memoryText(undefined, [entry])).toBe(
      [
        '# What trueup drift remembers: docs/drift.md. Keep it in git. Comments and order stay.',
        'trueup-drift: 1',
        'findings:',
        '  - field: dockerImage',
        '    kind: redis',
        '    object: red_1',
        '    is: drifted',
        '    since: 2026-03-01',
        '',
      ].join('\n'),
    );
  });

  it('with an anchor keeps what it says', () => {
    const one = '&a { kind: redis, object: red_1, field: dockerImage, is: drifted, since: 2026-03-01 }';
    const next = memoryText(`trueup-drift: 1\nfindings:\n  - ${one}\n`, [{ ...entry, digest: '1.a' }]) ?? '';
    expect(parseMemory('drift.yaml', next)).toEqual([{ ...entry, digest: '1.a' }]);
  });

  it('that cannot be used names its first mistake only, and its line', () => {
    const problemOf = (text: string) => {
      try {
        parseMemory('drift.yaml', text);
      } catch (error) {
        if (error instanceof Stop) return error.diagnostics;
      }
      return undefined;
    };
    const one = '{ kind: redis, object: red_1, is: missing, since: 2026-03-01 }';
    const bad = one.replace('2026-03-01', 'yesterday');
    expect(problemOf(`trueup-drift: 1\nfindings:\n  - ${one}\n  - ${bad}\n  - ${bad}\n`)).toMatchObject([
      { message: 'drift.yaml: findings.1.since must be a day such as 2026-07-05', position: { line: 4 } },
    ]);
    expect(problemOf(`trueup-drift: 1\nfindings:\n  - ${one}\n  - ${one}\n`)).toMatchObject([
      { message: 'drift.yaml: redis red_1 is listed twice', position: { line: 4 } },
    ]);
    const sides = `<<<<<<< HEAD\n  - ${one}\n=======\n  - ${bad}\n>>>>>>> nightly\n`;
    expect(problemOf(`trueup-drift: 1\nfindings:\n${sides}`)).toMatchObject([
      { code: 'drift-memory', message: 'git could not merge this file here', position: { line: 3 } },
    ]);
  });

  it('may be empty, or have comments only', () => {
    for (const text of ['', '# nothing yet\n', 'trueup-drift: 1\n', 'trueup-drift: 1\nfindings:\n']) {
      expect(parseMemory('drift.yaml', text)).toEqual([]);
      expect(parseMemory('drift.yaml', memoryText(text, [entry]) ?? '')).toEqual([entry]);
    }
  });

  it.each([
    ['[] # none yet', 'findings:', '# none yet'],
    ['&none []', 'findings: &none', ''],
    ['# none yet', 'findings:', '# none yet'],
    ['null # none yet', 'findings:', '# none yet'],
    ['[\n  # none yet\n]', 'findings:', '# none yet'],
  ])('with the empty list %j keeps what stands there', (list, head, comment) => {
    const text = memoryText(`trueup-drift: 1\nfindings: ${list}\n`, [entry]) ?? '';
    expect(text).toContain(`trueup-drift: 1\n${head}\n  - `);
    expect(text).toContain(comment);
    expect(parseMemory('drift.yaml', text)).toEqual([entry]);
    expect(memoryText(text, [entry])).toBeUndefined();
  });
});
