import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { idSet, list } from '../../src/kind/codecs.ts';
import type { Field } from '../../src/kind/field.ts';
import { schemaOf } from '../../src/kind/field.ts';
import { canBeNull } from '../../src/kind/row-values.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Stand } from '../support/kind-manifests.ts';
import { manifestOfAllKinds, outcomeOf } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { everything, plansNothing, rowsIn } from '../support/faults.ts';
import { production } from '../support/manifest-texts.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';

/** A platform that stores text in another form than it was sent comes to rest: the second plan is empty. */

/** What the platform makes of a text, member by member; ids, names and enums stay. */
const rewrites: Readonly<Record<string, (text: string) => string | null>> = {
  'trims it': (text) => text.trim(),
  'ends it with a line end': (text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`),
  'stores CRLF as LF': (text) => text.replaceAll('\r\n', '\n'),
  'stores null for empty text': (text) => (text === '' ? null : text),
};
const rewritten = new Set(['description', 'composeFile', 'env', 'content', 'command', 'dockerImage', 'publicKey']);

/** An emulator behind a transport that shows every text of a row as the platform would have rewritten it. */
function behind(emulator: Emulator, rewrite: (text: string) => string | null): Emulator {
  const shown = (name: string, value: unknown): unknown =>
    typeof value === 'string' && rewritten.has(name) ? rewrite(value) : value;
  return {
    ...emulator,
    send: async (request) => {
      const answer = await emulator.send(request);
      return request.method === 'GET' && answer.status === 200
        ? { ...answer, body: JSON.stringify(JSON.parse(answer.body, shown)) }
        : answer;
    },
  };
}

const text = (version: string) =>
  production(`    env: "REGION=${version}\\r\\n"
    compose:
      shop:
        description: "  first line\\r\\nsecond line ${version}  "
        source: { type: raw, composeFile: "services:\\r\\n  web:\\r\\n    image: nginx:${version}\\r\\n\\r\\n" }
        env: "A=1\\r\\nB=${version}  \\r\\n\\r\\n"
        command: ""
        files: { a.conf: { content: "\\r\\n  x = ${version}\\r\\n\\r\\n" }, empty.conf: { content: "" } }
    application:
      web:
        description: ""
        source: { type: docker, image: "nginx:${version}" }
        env: { KEY: "  spaces ${version}  ", EMPTY: "" }
    redis:
      cache: { dockerImage: "redis:8", databasePassword: pw-1, command: "run ${version} ", description: "" }
`);

/** Members of rows that are fields of kinds, without those that list other objects. */
function membersWhere(test: (field: Field) => boolean): ReadonlySet<string> {
  const links = kinds.flatMap(({ parents }) => Object.values(parents));
  const lists = new Set(links.flatMap(({ listed }) => ('at' in listed ? [listed.at] : [])));
  const fields = kinds.flatMap((kind) => Object.entries(kind.fields));
  return new Set(fields.flatMap(([name, field]) => (test(field) && !lists.has(name) ? [name] : [])));
}

const isText = (field: Field) =>
  z.toJSONSchema(schemaOf(field), { unrepresentable: 'any', io: 'input' }).type === 'string';
/** Not `command`: an empty one of a MongoDB or a libSQL means something else than none. */
const texts = new Set([...membersWhere(isText)].filter((name) => name !== 'command'));
/** Not lists of which an empty one means something else than none: `networkSwarm`. */
const lists = membersWhere(({ codec }) => codec === list || codec === idSet);

function nullsOf({ kind, body, parent }: Stand): (readonly [field: string, value: null])[] {
  const { lacks = [], set = {} } = kind.parents[parent] ?? {};
  const grouped = (kind.unions ?? []).flatMap(({ tag, cases }) => [
    tag,
    ...Object.values(cases).flatMap(Object.values<string>),
  ]);
  const others = new Set([...Object.keys(body), ...Object.keys(set), ...lacks, ...grouped]);
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const isCleared = field.onNull === undefined && canBeNull(kind, name) && outcomeOf(field) === 'write';
    const written = field.written ?? name;
    return isCleared && !others.has(written) && !others.has(name) ? [[written, null] as const] : [];
  });
}

describe.each([
  ['null', null, null],
  ['an empty text or list', '', []],
])('a platform that answers %s for all that is unset', (_title, emptyText, emptyList) => {
  test('comes to rest, with all kinds', async () => {
    const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);
    const shown = (name: string, value: unknown): unknown => {
      if (!isEmpty(value)) return value;
      // What a member of the organization may see is always a list: the operation that sets it takes no null.
      if (lists.has(name) && !name.startsWith('accessed')) return emptyList;
      return texts.has(name) ? emptyText : value;
    };
    const made = kindBench();
    const { send } = made.emulator;
    made.emulator.send = async (request) => {
      const answer = await send(request);
      if (request.method !== 'GET' || answer.status !== 200) return answer;
      return { ...answer, body: JSON.stringify(JSON.parse(answer.body, shown)) };
    };
    const text = manifestOfAllKinds((stand) => ({ ...Object.fromEntries(nullsOf(stand)), ...stand.body }));
    const { outcomes } = await made.apply(text, everything);
    expect(outcomes.length).toBeGreaterThan(30);
    expect(outcomes.filter(({ result }) => result !== 'done').map(({ action }) => action.address)).toEqual([]);
    await plansNothing(made, text);
  });
});

describe('U25: a platform that', () => {
  test.each(Object.entries(rewrites))('%s comes to rest', async (_title, rewrite) => {
    const clock = selfMovingClock();
    const emulator = createEmulator({ now: () => new Date(clock.wall()) });
    const made = bench({ emulator: behind(emulator, rewrite), clock });
    for (const version of ['1', '2']) {
      const result = await made.apply(text(version));
      expect(result.outcomes.filter((outcome) => !['done', 'skipped'].includes(outcome.result))).toEqual([]);
      await plansNothing(made, text(version));
      await plansNothing(made, text(version));
    }
    expect(rowsIn(made, 'compose')[0]?.['composeFile']).toContain('nginx:2');
  });

  test('does nothing to a text is told from the others', async () => {
    const made = bench();
    await made.apply(text('1'));
    expect(rowsIn(made, 'compose')[0]?.['composeFile']).toContain('\r\n\r\n');
    await plansNothing(made, text('1'));
  });
});
