import type { State } from './state.ts';
import { stateSchema } from './state.ts';
import { unusable } from './unusable.ts';

/** Reads the text of a state; `place` is where it stands. */
export function parseState(place: string, text: string): State {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unusable(place, 'is not valid JSON', { cause: error });
  }
  return checkState(place, content);
}

/** Checks the form of a state. */
export function checkState(place: string, content: unknown): State {
  const result = stateSchema.safeParse(content);
  if (result.success) return result.data;
  const version = (content as { formatVersion?: unknown } | null)?.formatVersion;
  const [issue] = result.error.issues;
  throw unusable(
    place,
    typeof version === 'number' && version > 1
      ? `has format ${version}, which a newer Trueup wrote`
      : `is not a state of Trueup: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`,
  );
}
