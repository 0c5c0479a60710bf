import type { Json } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { groupBy } from '../../src/kind/group.ts';
import { fieldPath } from '../../src/kind/row-values.ts';
import type { Safeguard } from '../../src/diagnostics/safeguards.ts';
import { flags, safeguards } from '../../src/diagnostics/safeguards.ts';
import type { Loss } from '../../src/kind/lifecycle.ts';
import { code, enumerate } from './markdown.ts';

/** Side effects of a deletion or a replacement, a sentence each. */
export function risksOf(kind: Kind): string[] {
  return [...replacement(kind), ...lossesOf(kind), ...changesOf(kind), ...goesAlong(kind)];
}

function replacement(kind: Kind): string[] {
  if (!Object.values(kind.fields).some(({ onChange }) => onChange === 'replace')) return [];
  if (kind.lifecycle?.createBeforeDestroy === undefined)
    return ['A replacement deletes the old object before it creates the new one.'];
  const { unless } = kind.lifecycle.createBeforeDestroy;
  const exception = unless === undefined ? '' : `, unless ${code(unless)} is declared, which must be unique`;
  return [`A replacement creates the new object, points its users to it, and then deletes the old one${exception}.`];
}

/** What would be lost: the declaration is asked about each case, each option and both actions. */
function lossesOf(kind: Kind): string[] {
  const dataAtRisk = kind.lifecycle?.dataAtRisk;
  if (dataAtRisk === undefined) return [];
  const example = Object.fromEntries(Object.entries(kind.fields).map(([name, field]) => [name, field.examples[0]]));
  const cases = (kind.unions ?? []).flatMap(({ tag, cases }) => Object.keys(cases).map((word) => ({ tag, word })));
  const options = Object.keys(kind.operations.deleteOptions ?? {});
  const situations: { when: string; row: Readonly<Record<string, Json>>; options: Readonly<Record<string, Json>> }[] = [
    { when: '', row: {}, options: {} },
    ...cases.map(({ tag, word }) => ({
      when: ` with ${code(`${fieldPath(kind, tag)}: ${word}`)}`,
      row: { ...example, [tag]: word },
      options: {},
    })),
    { when: ' with a mounted volume', row: { mounts: [{ type: 'volume', volumeName: '…' }] }, options: {} },
    ...options.map((name) => ({ when: ` with ${code(`${name}: true`)}`, row: {}, options: { [name]: true } })),
  ];
  // The one block of the top has no other object to take its place.
  const actions = kind.isTop === true ? (['delete'] as const) : (['delete', 'replace'] as const);
  return actions.flatMap((action) => {
    const always = dataAtRisk({ row: {}, parent: {}, options: {}, action })?.what;
    const found = situations.flatMap(({ when, row, options: set }) => {
      const lost = dataAtRisk({ row, parent: {}, options: set, action });
      return lost === undefined || (when !== '' && lost.what === always) ? [] : [{ when, lost }];
    });
    const word = action === 'delete' ? 'Deletion' : 'Replacement';
    return found.map(
      ({ when, lost }) => `${word}${when} puts data at risk (${lost.what})${ofProtected(lost)}: ${needs(lost)}.`,
    );
  });
}

/** The fields that put data at risk when they change. */
function changesOf(kind: Kind): string[] {
  const sorts = Object.entries(kind.lifecycle?.changeAtRisk ?? {}) as [Loss['of'], object][]; // of its type
  const byRule = groupBy(
    sorts.flatMap(([of, fields]) =>
      Object.keys(fields).map(
        (name) => [`${ofProtected({ of })}: ${needs({ of })}`, code(fieldPath(kind, name))] as const,
      ),
    ),
  );
  return [...byRule].map(
    ([rule, paths]) => `Another ${enumerate([...new Set(paths)], 'or')} may put data at risk${rule}.`,
  );
}

function ofProtected({ of }: Pick<Loss, 'of'>): string {
  const { ofProtected: isNarrow }: Safeguard = safeguards[of];
  return isNarrow === true ? ', where the service has `protect: true`' : '';
}

function needs({ of }: Pick<Loss, 'of'>): string {
  const { permission }: Safeguard = safeguards[of];
  return permission === undefined ? 'the plan warns' : `it needs \`${flags[permission]}\` or \`protect: false\``;
}

function goesAlong(kind: Kind): string[] {
  return kind.lifecycle?.deletedWithParent === true
    ? ['It is deleted with its parent, without a request of its own.']
    : [];
}
