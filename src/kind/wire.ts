import type { Operation } from '../api/contract.ts';
import { endpointOf } from '../api/contract.ts';
import type { Json, Row } from './json.ts';
import { member } from './json.ts';
import type { Field, Kind } from './kind.ts';

/** Where a field stands in YAML, as a path below its resource: `source.branch`, `env`. */
export function fieldPath(kind: Kind, name: string): string {
  for (const union of kind.unions ?? []) {
    if (union.at === undefined) continue;
    if (name === union.tag) return `${union.at}.type`;
    for (const fields of Object.values(union.cases)) {
      for (const [written, field] of Object.entries(fields)) if (field === name) return `${union.at}.${written}`;
    }
  }
  return name;
}

/** The declaration of a field. */
export function fieldOf(kind: Kind, name: string): Field {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.kind} has no field ${name}`);
  return field;
}

/** The value of a field in a row; undefined when the row does not have it. */
export function observedValue(kind: Kind, name: string, row: Row): Json | undefined {
  return member(row, kind.fields[name]?.readAt ?? name);
}

/** The value of an output of an object; undefined when the row does not have it. */
export function outputValue(kind: Kind, output: string, id: string | undefined, row: Row): string | undefined {
  const from = kind.outputs?.[output]?.from;
  const value = from === undefined ? id : member(row, from);
  return typeof value === 'string' ? value : undefined;
}

/** Whether an operation has a member of this name. */
export function takes(operation: Operation, name: string): boolean {
  return Object.hasOwn(endpointOf(operation).input.shape, name);
}

/** Whether a member of an operation may be null. */
export function takesNull(operation: Operation, name: string): boolean {
  const shape = endpointOf(operation).input.shape[name];
  return shape !== undefined && accepts(shape, null);
}

function accepts(shape: unknown, value: unknown): boolean {
  return (shape as { safeParse(input: unknown): { success: boolean } }).safeParse(value).success;
}
