import type { WireAnswer } from '../../src/api/wire.ts';

/** A request that was recorded on the real platform, with its answer. */
export interface Sample {
  case: string;
  /** Whose key sent it; the owner's when left out. */
  as?: string;
  request: { method: string; path: string; body: unknown };
  status: number;
  response: unknown;
  rawResponse?: string;
}

/** Cases by name; the second of the same name gets a number. */
export function named(operation: string, samples: Sample[]): [string, Sample][] {
  const seen = new Map<string, number>();
  return samples.map((sample) => {
    const count = (seen.get(sample.case) ?? 0) + 1;
    seen.set(sample.case, count);
    return [`${operation}/${sample.case}${count > 1 ? ` ${count}` : ''}`, sample];
  });
}

/** The recorded answer and the emulator's, each reduced to status, kind of body and names of fields. */
export function compared({ status, body }: WireAnswer, { response, rawResponse, ...sample }: Sample) {
  if (rawResponse !== undefined)
    return { recorded: { status: sample.status, body: rawResponse }, answered: { status, body } };
  // An empty body was recorded as null or as an empty text; no operation of these groups answers one of those as JSON.
  const recorded = response === '' ? undefined : (response ?? undefined);
  const value = withoutEmptyIssues(body === '' ? undefined : JSON.parse(body), recorded);
  return {
    recorded: { status: sample.status, body: fields(recorded, value) },
    answered: { status, body: fields(value, recorded) },
  };
}

/** The API document has `issues` in every error; the platform sends it with validation errors only. */
function withoutEmptyIssues(value: unknown, recorded: unknown): unknown {
  const isEmpty = isObject(value) && Array.isArray(value['issues']) && value['issues'].length === 0;
  if (!isEmpty || (isObject(recorded) && 'issues' in recorded)) return value;
  const { issues: _issues, ...rest } = value;
  return rest;
}

/**
 * The kind of a value and, for objects, the names of its fields, nested ones too. Where the other side has nothing to
 * compare with (null, an empty list, another kind), a nested value only counts as present.
 */
function fields(value: unknown, other: unknown, depth = 0): unknown {
  if (depth > 0 && kindOf(value) !== kindOf(other)) return 'something';
  if (Array.isArray(value)) {
    const both = Array.isArray(other) && value.length > 0 && other.length > 0;
    return both ? [fields(value[0], other[0], depth + 1)] : 'array';
  }
  if (!isObject(value)) return depth === 0 ? kindOf(value) : 'something';
  const nested = isObject(other) ? other : {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fields(one, nested[name], depth + 1)]));
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
