import equal from 'fast-deep-equal';
import type { Json, Row } from '../../../src/formats/json.ts';
import type { Union } from '../../../src/kind/field.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { coreFields } from '../../support/random-blocks.ts';
import type { Block, Model, Placed } from '../../support/random-manifest.ts';
import { blocksOf, fieldOf, forgetHome, isNamed, isRef, linkOf, valuesOf } from '../../support/random-manifest.ts';
import type { Act } from './by-hand.ts';
import { removalOf } from './by-hand.ts';
import { isDataMount, look, rowsOf, services, valueIn } from './platform.ts';
import type { Prediction } from './prediction.ts';
import type { Run } from './run.ts';

/** What a person has to do after a refusal. */
export interface Remedy {
  readonly acts: readonly Act[];
  /** Protection has to be lifted first. */
  readonly lifts: boolean;
  /** All that is there goes by the command for that. */
  readonly destroys: boolean;
}

/** Changes a manifest as the messages of a refusal ask for, and says what else is to be done. */
export function remedy(run: Run, model: Model, { errors, objects }: Prediction): Remedy {
  const acts: Act[] = [];
  for (const error of errors) {
    const [code = '', ...rest] = error.split(' ');
    const address = rest.join(' ');
    const placed = blocksOf(model).find((item) => item.address === address);
    const row = objects.get(address);
    if (code === 'protected') {
      if (placed !== undefined) placed.block.options = {};
    } else if (code === 'ambiguous' && placed !== undefined) acts.push(...removals(run, placed.block.kind));
    else if (code === 'cannot-create' && placed !== undefined) model.roots.splice(model.roots.indexOf(placed.block), 1);
    else if (code === 'cannot-change' && address.startsWith('sshKeys.')) {
      // What keeps a key without saying so is led to another one.
      for (const { block } of blocksOf(model))
        if (block.fields.sourceType === 'git') block.fields.customGitSSHKeyId ??= { named: -1, by: 'key' };
      if (placed !== undefined && row !== undefined) declareAsItIs(placed, row);
    } else if (placed?.block.kind.kind === 'environment') nameAsItIs(model, placed.block);
    else if (placed !== undefined && row !== undefined) declareAsItIs(placed, row);
  }
  const lifts = [...errors].some((error) => error.startsWith('protected '));
  return { acts, lifts, destroys: errors.has('deletes-everything ') };
}

/** Removes what nobody declared of a kind, with everything that stands in the way of that. */
function removals(run: Run, kind: Kind): Act[] {
  const seen = look(run.made.emulator);
  const sure = [...run.memory.values()].filter(({ intended }) => intended === undefined);
  const claimed = new Set(sure.map(({ id }) => id));
  return [...rowsOf(seen, kind)].flatMap(([id, row]) => {
    if (claimed.has(id) || row.isDefault === true || isDataMount(seen, row)) return [];
    const below = (kind.kind === 'environment' ? services : []).flatMap((service) =>
      [...rowsOf(seen, service)].flatMap(([one, guest]) =>
        guest.environmentId === id ? removalOf(service, one, guest) : [],
      ),
    );
    return [...below, ...removalOf(kind, id, row)];
  });
}

/** The default environment cannot be renamed. */
function nameAsItIs({ roots }: Model, block: Block): void {
  const isTaken = roots.some(({ kind, key }) => kind.kind === 'environment' && key === 'production');
  if (isTaken) forgetHome(block);
  else block.key = 'production';
}

/** Declares what cannot be changed as the platform has it. */
function declareAsItIs(placed: Placed, row: Row): void {
  const { kind, fields, key } = placed.block;
  const { keyField } = kind.identity;
  // The key stands in for it.
  if (keyField !== undefined) fields[keyField] ??= key;
  for (const union of kind.unions ?? []) if (isImmovable(kind, union.tag)) declareCase(placed, union, row);
  for (const [name, value] of Object.entries(fields)) {
    if (!isImmovable(kind, name)) continue;
    const observed = valueIn(kind, name, row);
    if (isRef(value) || isNamed(value) || equal(value, observed)) continue;
    if (name === 'appName' || observed === null || observed === '') delete fields[name];
    else fields[name] = observed;
  }
  if (kind.kind === 'fileMount' && fields.filePath === undefined) fields.filePath = row.filePath as Json;
}

function isImmovable(kind: Kind, name: string): boolean {
  const { onChange } = fieldOf(kind, name);
  return onChange === 'replace' || (typeof onChange === 'object' && 'refuse' in onChange);
}

/** Declares the case that the platform has, with what an object of it cannot go without. */
function declareCase({ block, parent }: Placed, { tag, cases }: Union, row: Row): void {
  const { kind, fields } = block;
  const observed = valueIn(kind, tag, row);
  if (equal(fields[tag], observed)) return;
  for (const name of Object.values(cases).flatMap((own) => Object.values(own))) delete fields[name];
  fields[tag] = observed;
  for (const name of coreFields(kind, linkOf(kind, parent?.block.kind), block))
    fields[name] ??= valueIn(kind, name, row) ?? valuesOf(kind, name, block.uid)[0] ?? '';
}
