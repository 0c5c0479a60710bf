import type { Code } from '../../src/diagnostics/codes.ts';
import { reported } from './provoked.ts';
import type { OtherRemedy, Row } from './remedy.ts';
import { applied } from './remedy.ts';

/** A manifest in one file, or its files. */
type Files = string | Record<string, string>;

/** What a part of a remedy makes of a manifest, or why no test does that. */
type Corrected = { readonly to: Files } | Exclude<Row[string], (...args: never) => unknown>;

/** A mistake in a manifest, and the manifest after each part of its remedy, which is applied. */
export function mistake(code: Code, files: Files, parts: Readonly<Record<string, Corrected>>): OtherRemedy {
  const row = Object.entries(parts).map(([part, how]): [string, Row[string]] => {
    return [part, typeof how === 'object' && 'to' in how ? (made) => applied(made, how.to) : how];
  });
  return { code, provoke: (made) => reported(() => made.plan(files)), row: Object.fromEntries(row) };
}
