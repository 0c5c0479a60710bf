import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import { isObject } from '../../src/formats/json.ts';
import { isPlanFileText, parsePlanFile, planFileText } from '../../src/plan/plan-file.ts';
import { planFileOf } from '../support/plan-values.ts';

/** The text of a plan file, and what is refused to be one. */

/** A file with one of everything that a file can have. */
const file = planFileOf({
  facts: {
    production: { block: '', 'declared name': 'd' },
    'production.redis.main': { 'action update': '', id: 'redis_1', 'send redis.update:update': '', 'was a': 'w v' },
  },
});

const plain = file as unknown as Json; // its type says it member by member

interface PlaceInFile {
  readonly path: readonly string[];
  readonly content: Json;
}

/** Every place in a value, the value itself first. */
function placesIn(content: Json, path: readonly string[] = []): PlaceInFile[] {
  const below = typeof content === 'object' && content !== null ? Object.entries(content as Record<string, Json>) : [];
  return [{ path, content }, ...below.flatMap(([name, item]) => placesIn(item, [...path, name]))];
}

/** A value with other content at one place; undefined removes what is there. */
function changed(content: Json, [name, ...rest]: readonly string[], other: Json | undefined): Json {
  if (name === undefined) return other ?? null;
  const copy = structuredClone(content) as Record<string, Json>;
  if (rest.length > 0) copy[name] = changed(copy[name] ?? null, rest, other);
  else if (other === undefined) delete copy[name];
  else copy[name] = other;
  return copy;
}

describe('the text of a plan file', () => {
  const whole = planFileText(file);

  test.each([
    ['', 'is no plan file'],
    ['null', 'is no plan file'],
    ['[]', 'is no plan file'],
    ['"trueup/plan-file"', 'is no plan file'],
    ['trueup: 1\n', 'is no plan file'],
    ['{"format":"trueup/state-list","version":1}', 'is no plan file'],
    ['{"format":"trueup/plan","version":1}', 'is what plan --format json prints, and no plan file'],
    ['{"format":"trueup/plan-file"}', 'is damaged at version'],
    ['{"format":"trueup/plan-file","version":"1"}', 'is damaged at version'],
    ['{"format":"trueup/plan-file","version":6}', 'is damaged at madeBy'],
    ['{"format":"trueup/plan-file","version":7}', 'has format 7, which a newer Trueup wrote'],
    ['{"format":"trueup/plan-file","version":3}', 'has format 3, which an older Trueup wrote'],
    ['{"format":"trueup/plan-file","version":4,"madeBy":"0.9.1"}', 'has format 4, which an older Trueup (0.9.1) wrote'],
    ['{"format":"trueup/plan-file","version":4,"madeBy":"a b"}', 'has format 4, which an older Trueup wrote'],
  ])('%j: %s', (content, problem) => {
    expect(parsePlanFile(content)).toMatchObject({ problem });
  });

  test('is refused when it is cut off anywhere', () => {
    for (let length = 0; length < whole.trimEnd().length; length++) {
      const short = whole.slice(0, length);
      const problem = isPlanFileText(short) ? 'is damaged: it ends too early, or was changed' : 'is no plan file';
      expect(parsePlanFile(short)).toMatchObject({ problem });
    }
  });

  test('gives the same plan file again', () => {
    expect(parsePlanFile(whole)).toStrictEqual(file);
    expect(whole).toMatch(/^\{\n "format": "trueup\/plan-file",\n.*\}\n$/s);
    expect(isPlanFileText('\n { "format":  "trueup/plan-file", "version"')).toBe(true);
    expect(isPlanFileText('x{"format":"trueup/plan-file"')).toBe(false);
  });

  test('is refused with a remedy', () => {
    const remedy = (text: string) => {
      const read = parsePlanFile(text);
      return 'remedy' in read ? read.remedy : undefined;
    };
    expect(remedy('')).toBe('trueup plan --out FILE writes one.');
    expect(remedy('[]')).toBe('trueup plan --out FILE writes one.');
    expect(remedy('{"format":"trueup/plan"}')).toBe('trueup plan --out FILE writes one.');
    expect(remedy(whole.slice(0, -9))).toBe('Plan again.');
    expect(remedy('{"format":"trueup/plan-file","version":6}')).toBe('Plan again.');
    expect(remedy('{"format":"trueup/plan-file","version":3}')).toBe('Plan again with the version that applies.');
  });

  const places = placesIn(plain);

  test.each(places.filter(({ content }) => isObject(content)))(
    'is refused with a member too many at $path',
    (place) => {
      const problem = parsePlanFile(JSON.stringify(changed(plain, [...place.path, 'more'], 1)));
      expect(problem).toMatchObject({ problem: expect.stringMatching(/^is damaged at /) as string });
    },
  );

  test('is refused with a member too few; a fact too few breaks the seal', () => {
    for (const { path } of places.slice(1)) {
      const name = path.join('.');
      const read = parsePlanFile(JSON.stringify(changed(plain, path, undefined)));
      expect([name, 'problem' in read]).toEqual([name, path[0] !== 'facts' || path.length === 1]);
    }
  });

  test('is refused with a member of another type, at every place', () => {
    for (const { path, content } of places.slice(1)) {
      for (const other of [null, isObject(content) ? 'text' : { more: 1 }, typeof content === 'string' ? 1 : ['no']]) {
        if (Array.isArray(content) && Array.isArray(other)) continue;
        const read = parsePlanFile(JSON.stringify(changed(plain, path, other)));
        expect([path.join('.'), 'problem' in read]).toEqual([path.join('.'), true]);
      }
    }
  });

  test.each([
    ['facts.production', { ruin: '' }],
    ['facts.production', { ruined: '' }],
    ['facts.production', { 'ruin all': '' }],
    ['facts.production', { actions: '' }],
    ['facts.production', { '': '' }],
    ['facts.production', ['block']],
    ['madeAt', 'yesterday'],
    ['state.serial', 1.5],
    ['state.serial', -1],
  ])('is refused with %s: %j', (place, content) => {
    const read = parsePlanFile(JSON.stringify(changed(plain, place.split('.'), content)));
    expect(read).toMatchObject({
      problem: expect.stringContaining(`is damaged at ${place.split('.')[0] ?? ''}`) as string,
    });
  });

  test.each('block declared missing action id was warning risk consent send order member changed'.split(' '))(
    'may have facts about %s',
    (kind) => {
      for (const path of [kind, `${kind} a`, `${kind} a b c`]) {
        const facts = { production: { [path]: 'text' } };
        expect(parsePlanFile(JSON.stringify({ ...file, facts }))).toStrictEqual({ ...file, facts });
      }
    },
  );

  test('cannot smuggle facts in through __proto__', () => {
    const forged = whole.replace('"facts": {', '"facts": {"__proto__": {"production.redis.other": {"block": ""}},');
    expect(forged).not.toBe(whole);
    expect(parsePlanFile(forged)).toMatchObject({ problem: 'was changed: Trueup does not write it so' });
  });

  test('is refused when a member stands twice', () => {
    const twice = whole.replace('"deploys": true', '"deploys": false, "deploys": true');
    expect(parsePlanFile(twice)).toMatchObject({ problem: 'was changed: Trueup does not write it so' });
  });

  test('may be of a state that does not exist yet', () => {
    const damaged = { problem: expect.stringMatching(/^is damaged at state/) as string };
    const read = (state: Json) => parsePlanFile(JSON.stringify(changed(plain, ['state'], state)));
    expect(read({ lineage: 'l' })).not.toHaveProperty('problem');
    expect(read({ lineage: '' })).toMatchObject(damaged);
    expect(read({ lineage: 'l', digestKey: 'k' })).toMatchObject(damaged);
    expect(read({ lineage: 'l', serial: 1 })).toMatchObject(damaged);
  });
});
