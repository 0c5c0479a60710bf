import { onceFor } from '../api/once.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue } from '../kind/row-values.ts';
import type { Row } from '../formats/json.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { type Concealed, type Outputs, type Shape, type Wanted, changed, concealedIn } from '../manifest/wanted.ts';
import { secret } from '../secrets/secret.ts';
import { wantedOf } from './standing.ts';

/**
 * A resource with the values that the platform has for it: what `appended` of a field gives stands behind what the user
 * wrote. A field of the parent that is not declared counts as its row has it. The notes say what cannot be known.
 */
export function asPlatformHasIt(
  resource: Resource,
  parent: Resource | undefined,
  row: Row | undefined,
  outputs: Outputs,
): { readonly resource: Resource; readonly notes: readonly Diagnostic[] } {
  if (parent === undefined) return { resource, notes: [] };
  const fields: Record<string, Wanted> = {};
  const notes: Diagnostic[] = [];
  for (const name of withAppended(resource.kind)) {
    const appendedTo = resource.kind.fields[name]?.appended;
    const wanted = resource.fields[name];
    if (appendedTo === undefined || wanted === undefined) continue;
    let concealed: Concealed | undefined;
    const appended = appendedTo((above) => {
      const field = parent.kind.fields[above];
      const declared = parent.fields[above];
      if (field === undefined || declared === undefined) return observedValue(parent.kind, above, row ?? {}) ?? null;
      const resolved = wantedOf({ field, wanted: declared }, outputs);
      concealed ??= concealedIn(declared)[0];
      if (resolved?.is === 'known') return resolved.value;
      const [own, other] = [fieldPath(resource.kind, name), fieldPath(parent.kind, above)];
      const about = { address: resource.address, position: position(wanted.at) };
      const message = `${own}: the name on the platform depends on ${other} of ${parent.address}, which is not known before apply`;
      notes.push(diagnostic('cannot-change', message, { ...about, remedy: `Write ${other} without a reference.` }));
      return null;
    });
    if (appended === '') continue;
    const piece = concealed === undefined ? appended : { from: concealed.from, name: concealed.name, hidden: appended };
    fields[name] = changed(wanted, {
      isSecret: wanted.isSecret || concealed !== undefined,
      appended,
      content: secret(extended(wanted.content.reveal(), piece)),
    });
  }
  return {
    resource: Object.keys(fields).length === 0 ? resource : { ...resource, fields: { ...resource.fields, ...fields } },
    notes,
  };
}

/** The fields of a kind to which the platform appends something. */
const withAppended = onceFor(({ fields }: Kind) =>
  Object.keys(fields).filter((name) => fields[name]?.appended !== undefined),
);

function extended(shape: Shape, appended: string | Concealed): Shape {
  if (shape.is === 'text') return { ...shape, pieces: [...shape.pieces, appended] };
  if (shape.is !== 'value' || typeof shape.value !== 'string') return shape;
  return typeof appended === 'string'
    ? { is: 'value', value: shape.value + appended }
    : { is: 'text', pieces: [shape.value, appended] };
}
