import { answerBodyOf } from '../../src/api/answers.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { choosesId, fieldPath } from '../../src/kind/wire.ts';
import { code, enumerate } from './markdown.ts';

/** How it is known which object of the platform a block means, a sentence each. */
export function identityOf(kind: Kind): string[] {
  const { create } = kind.operations;
  const isTop = Object.keys(kind.parents).every((parent) => parent === root);
  const isUnlisted = create !== undefined && answerBodyOf(create) !== 'object';
  return [
    `The one whose id is in the state, or that ${code('id:')} pins.`,
    `Otherwise the one${isTop ? '' : ' below the same parent'} with the same ${naturalKey(kind)}: a single one is adopted, with consent ` +
      '(`apply` asks, or wants `--adopt`); several are an error that lists their ids.',
    ...(kind.isTop === true ? [] : [whatKeyMeans(kind)]),
    ...(choosesId(kind) ? ['A new one gets an id that Trueup chose, by which it is recognised.'] : []),
    ...(isUnlisted && !choosesId(kind)
      ? ['The platform does not tell the id of a new one: it is what the list has afterwards and had not before.']
      : []),
    ...(kind.identity.listedOnce === undefined
      ? []
      : [
          `A new one is in no list before ${kind.identity.listedOnce}: until then it is pending, and never made again.`,
        ]),
    ...provided(kind),
  ];
}

function whatKeyMeans({ identity: { keyField } }: Kind): string {
  return keyField === undefined
    ? 'The key of the block is a label and no part of the object.'
    : `The key of the block stands for ${code(keyField)} where that is not written.`;
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
  if (about.allows === 'nothing')
    return ['What the platform makes by itself is no object of ours: it is never touched.'];
  const { fixed, madeWith } = about;
  const kept = fixed.length === 0 ? '' : ` Its ${enumerate(fixed.map(code))} cannot be changed.`;
  const own = Object.entries(madeWith).map(([name, value]) => `${code(name)} ${code(JSON.stringify(value))}`);
  const free =
    own.length === 0
      ? ''
      : ` To fill in what is empty, or to overwrite what it was made with (${own.join(', ')}), takes no consent.`;
  return [`One that the platform made by itself is adopted, and never created or deleted.${kept}${free}`];
}
