import type { Operation } from '../../src/api/contract.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { idMember } from '../../src/kind/row-values.ts';

/**
 * The request of a person who changes a field that an operation of its own carries, such as the password of a running database:
 * the dashboard changes it there and in the row. Undefined: an update carries it.
 */
export function changedThrough(
  kind: Kind,
  name: string,
  row: Row,
  value: Json,
): { readonly operation: Operation; readonly input: Readonly<Record<string, Json>> } | undefined {
  const onChange = kind.fields[name]?.onChange;
  const route = typeof onChange === 'object' && 'through' in onChange ? onChange.through(row, value) : undefined;
  if (route === undefined || !('call' in route)) return undefined;
  const { call, as, with: constants } = route;
  const id = String(row[kind.identity.id]);
  return { operation: call, input: { [idMember(kind, call)]: id, ...constants, [as]: value } };
}
