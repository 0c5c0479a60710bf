import type { Json, Row } from '../kind/json.ts';
import { observedValue } from '../kind/wire.ts';
import type { Part } from '../manifest/resource.ts';
import type { Action } from '../plan/action.ts';

/** The fields of a row, and the keys of its maps; a map's text is read once. */
export interface ReadParts {
  /** null for what is not there. */
  readonly value: (part: Part) => Json;
  readonly keys: (field: string) => readonly string[];
}

/** Reads a row part by part. */
export function readParts({ kind }: Action, row: Row): ReadParts {
  const maps = new Map<string, ReadonlyMap<string, string>>();
  const mapOf = (field: string): ReadonlyMap<string, string> => {
    const known = maps.get(field);
    if (known !== undefined) return known;
    const text = observedValue(kind, field, row);
    const made = kind.fields[field]?.map?.read(typeof text === 'string' ? text : '') ?? new Map<string, string>();
    maps.set(field, made);
    return made;
  };
  return {
    value: ({ field, key }) =>
      key === undefined ? (observedValue(kind, field, row) ?? null) : (mapOf(field).get(key) ?? null),
    keys: (field) => [...mapOf(field).keys()],
  };
}
