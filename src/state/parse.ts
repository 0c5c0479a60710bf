import type { Format } from './formats.ts';
import { newestFormat, stateSchema } from './formats.ts';
import type { State } from './state.ts';
import { unusable } from './unusable.ts';

/** A state in the newest format, and the format it was written in: that of its journal. */
export interface ReadState {
  readonly state: State;
  readonly format: Format;
}

/** Reads the text of a state; `location` is where it stands. @throws Stop when it is damaged or of a newer Trueup. */
export function parseState(location: string, text: string): ReadState {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unusable(location, 'is not valid JSON', { cause: error });
  }
  return checkState(location, content);
}

const schemas = { 1: stateSchema(1), 2: stateSchema(2) };

/** Checks the form of a state of any format. @throws Stop when it is none, or of a newer Trueup. */
export function checkState(location: string, content: unknown): ReadState {
  const version = (content as { formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === 'number' && version > newestFormat) {
    const remedy = 'Use that version or a later one. Nothing was changed.';
    throw unusable(location, `has format ${version}, which a newer Trueup wrote`, { remedy });
  }
  const format = version === 1 ? 1 : newestFormat;
  const result = schemas[format].safeParse(content);
  if (result.success) return { state: { ...result.data, formatVersion: newestFormat }, format };
  const [issue] = result.error.issues;
  throw unusable(
    location,
    `is not a state of Trueup: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`,
  );
}
