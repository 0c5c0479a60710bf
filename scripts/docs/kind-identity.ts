import { endpointOf } from '../../src/api/contract.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { choosesId, fieldPath } from '../../src/kind/row-values.ts';
import { code, enumerate } from './markdown.ts';

/** The rules by which Trueup finds the object of a block, a sentence each. */
export function identityOf(kind: Kind): string[] {
  const { create } = kind.operations;
  const isTop = Object.keys(kind.parents).every((parent) => parent === root);
  const isUnlisted = create !== undefined && endpointOf(create).answer !== 'object';
  return [
    `The object with the id of the state, or with the id that ${code('id:')} pins.`,
    ...(kind.isSingle === true && kind.isTop !== true
      ? [
          `Otherwise the only one ${isTop ? 'of the platform' : 'of its parent'}. Trueup adopts it, with consent ${consent}.`,
        ]
      : [
          `Otherwise the object${isTop ? '' : ' below the same parent'} with the same ${naturalKey(kind)}. Trueup adopts a single one, with consent ${consent}. Several are an error that lists their ids.`,
        ]),
    ...(kind.isSingle === true ? [] : [whatKeyMeans(kind)]),
    ...(choosesId(kind) ? ['Trueup chooses the id of a new one, and recognises it by that id.'] : []),
    ...(isUnlisted && !choosesId(kind)
      ? ['The platform does not return the id of a new one. The object is the new row in the list.']
      : []),
    ...(kind.identity.listedOnce === undefined
      ? []
      : [
          `A new one is in no list before ${kind.identity.listedOnce}. Until then it is pending, and Trueup never creates it again.`,
        ]),
    ...provided(kind),
  ];
}

const consent = '(`apply` asks, or needs `--adopt`)';

function whatKeyMeans({ identity: { keyField } }: Kind): string {
  return keyField === undefined
    ? 'The key of the block is a label, and not part of the object.'
    : `The key of the block is its ${code(keyField)}, unless the block declares ${code(keyField)}.`;
}

/** The fields of the natural key, by the case they depend on where there is one. */
function naturalKey(kind: Kind): string {
  const { key } = kind.identity;
  const named = (fields: readonly string[]) => enumerate(fields.map((name) => code(fieldPath(kind, name))));
  if (typeof key !== 'function') return named(key);
  const byKey = new Map<string, string[]>();
  for (const { tag, cases } of kind.unions ?? []) {
    for (const word of Object.keys(cases)) {
      const fields = named(key((name) => (name === tag ? word : undefined)));
      byKey.set(fields, [...(byKey.get(fields) ?? []), code(`${tag}: ${word}`)]);
    }
  }
  return enumerate(
    [...byKey].map(([fields, words]) => `${fields} (${enumerate(words, 'or')})`),
    'or',
  );
}

function provided(kind: Kind): string[] {
  const about = kind.lifecycle?.provided;
  if (about === undefined) return [];
  if (about.allows === 'nothing') return ['Trueup never touches an object that the platform itself created.'];
  const { fixed, madeWith } = about;
  const kept = fixed.length === 0 ? '' : ` Its ${enumerate(fixed.map(code))} cannot be changed.`;
  const own = Object.entries(madeWith).map(([name, value]) => `${code(name)} ${code(JSON.stringify(value))}`);
  const free =
    own.length === 0
      ? ''
      : ` Trueup needs no consent to set empty fields, or to overwrite the values of its creation (${own.join(', ')}).`;
  return [`Trueup adopts an object that the platform itself created, and never creates or deletes it.${kept}${free}`];
}
