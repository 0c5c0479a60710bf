import type { WireAnswer } from '../../api/wire.ts';
import { isMap } from '../json-rows.ts';

/** Which rows a list lacks: all, or those that hold these members. */
type Hidden = 'all' | Readonly<Record<string, unknown>>;

/** An answer whose lists lack rows, as those that a restricted key gets. */
export function withoutRows(answer: WireAnswer, hidden: Hidden): WireAnswer {
  try {
    return { ...answer, body: JSON.stringify(filter(JSON.parse(answer.body), hidden)) };
  } catch {
    return answer; // it has no lists
  }
}

function filter(value: unknown, hidden: Hidden): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !isHidden(item, hidden)).map((item: unknown) => filter(item, hidden));
  }
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filter(inner, hidden)]));
}

/** What is no row stays: a list of texts is a value. */
function isHidden(item: unknown, hidden: Hidden): boolean {
  if (!isMap(item)) return false;
  return hidden === 'all' || Object.entries(hidden).every(([name, value]) => item[name] === value);
}
