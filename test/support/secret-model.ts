import { expect } from 'vitest';
import { planDocument } from '../../src/documents/plan-document.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { PlanDocument } from '../../src/render/document-schemas.ts';
import { verdictOf } from '../../src/render/verdict.ts';

/**
 * A model of what a plan has to say of edited values in a run that lacks some of their secrets, or all: it knows both manifests and
 * every secret, and shares no code with the engine. What the engine says is read from the document of the plan.
 */

/** A part of a text as manifests write it. */
export type Piece =
  | { readonly text: string }
  | { readonly secret: string }
  | { readonly variable: string }
  | { readonly file: string }
  | { readonly env: string }
  | { readonly ref: string };
export type Text = readonly Piece[];

/** The values behind the expressions of a manifest. */
export interface Values {
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** A field, as its address and its path, with the texts in it, and all values. */
export interface Field {
  readonly texts: readonly Text[];
  readonly values: Values;
}

/**
 * What becomes of a field. `counted`: not compared, because a secret is missing; `not recorded`: because the state is from an
 * earlier version.
 */
export type Outcome = 'nothing' | 'planned' | 'refused' | 'counted' | 'counted, not recorded';

/** A text as a manifest writes it. */
export function written(text: Text): string {
  return text.map(writtenPiece).join('');
}

function writtenPiece(piece: Piece): string {
  if ('text' in piece) return piece.text;
  if ('secret' in piece) return `\${secret:${piece.secret}}`;
  if ('variable' in piece) return `\${var:${piece.variable}}`;
  if ('file' in piece) return `\${file:${piece.file}}`;
  return 'env' in piece ? `\${env:${piece.env}}` : `\${ref:${piece.ref}}`;
}

/** The pieces of a text that a manifest has. */
export function piecesOf(text: string): Text {
  return text.split(/(\$\{(?:secret|var|file|env|ref):[^}]+\})/).flatMap((part): Piece[] => {
    const [, word, name] = /^\$\{(\w+):([^}]+)\}$/.exec(part) ?? [];
    if (name === undefined) return part === '' ? [] : [{ text: part }];
    if (word === 'secret') return [{ secret: name }];
    if (word === 'var') return [{ variable: name }];
    if (word === 'file') return [{ file: name }];
    return word === 'env' ? [{ env: name }] : [{ ref: name }];
  });
}

/** A text with all values filled in; holes in place of some secrets, each a list that no text is. */
function filled(text: Text, { secrets, variables, files, env }: Values, holes: ReadonlySet<string>): string {
  const parts: (string | readonly [string])[] = [];
  for (const piece of text) {
    if ('secret' in piece && holes.has(piece.secret)) {
      parts.push([piece.secret]);
      continue;
    }
    const value =
      'text' in piece
        ? piece.text
        : 'secret' in piece
          ? secrets[piece.secret]
          : 'variable' in piece
            ? variables[piece.variable]
            : 'file' in piece
              ? files[piece.file]
              : 'env' in piece
                ? env[piece.env]
                : `output ${piece.ref}`;
    if (value === undefined) throw new Error(`the model has no value of ${writtenPiece(piece)}`);
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + value;
    else if (value !== '') parts.push(value);
  }
  return JSON.stringify(parts);
}

const allFilled = ({ texts, values }: Field, holes: ReadonlySet<string>) =>
  texts.map((text) => filled(text, values, holes)).join('\n');

/** The names of the secrets in a field. */
export function secretsIn({ texts }: Pick<Field, 'texts'>): ReadonlySet<string> {
  return new Set(texts.flat().flatMap((piece) => ('secret' in piece ? [piece.secret] : [])));
}

/** Whether the value that the manifest means is another one, as only the model knows. */
export function isEdited(before: Field, after: Field): boolean {
  return allFilled(before, new Set()) !== allFilled(after, new Set());
}

/** What a run with some of the secrets has to say of a field. `isFormer`: the state is from before the digests of texts. */
export function expected(before: Field, after: Field, given: ReadonlySet<string>, isFormer: boolean): Outcome {
  const named = secretsIn(after);
  if ([...named].every((name) => given.has(name))) return isEdited(before, after) ? 'planned' : 'nothing';
  const had = secretsIn(before);
  const mayHoldSecrets = had.size > 0 || before.texts.flat().some((piece) => 'env' in piece);
  if (isFormer) return mayHoldSecrets ? 'counted, not recorded' : 'refused';
  const isRotated = [...named].some(
    (name) => given.has(name) && before.values.secrets[name] !== after.values.secrets[name],
  );
  return allFilled(before, had) === allFilled(after, named) && !isRotated ? 'counted' : 'refused';
}

/** The document of a plan. */
export function documentOf(plan: Plan): PlanDocument {
  return planDocument({ plan, counts: { reads: 0, writes: 0 } });
}

/** What a plan says of a field, such as `production.redis.main env.URL`: one thing. */
export function said({ actions, notCompared }: PlanDocument, place: string): Outcome {
  const at = place.lastIndexOf(' ');
  const [address, path] = [place.slice(0, at), place.slice(at + 1)];
  const action = actions.find((one) => one.address === address);
  const isRefused = action?.notes.some(
    ({ code, message }) => code === 'secret-missing' && message.startsWith(`${path}: `),
  );
  const isPlanned = action?.changes.some((change) => change.path === path);
  const counted = notCompared.filter((one) => one.address === address && one.path === path);
  const outcomes: Outcome[] = [
    ...(isRefused === true ? (['refused'] as const) : []),
    ...(isPlanned === true ? (['planned'] as const) : []),
    ...counted.map(({ why }): Outcome => (why === 'not recorded' ? 'counted, not recorded' : 'counted')),
  ];
  expect(outcomes.length, `${place}: ${outcomes.join(', ')}`).toBeLessThan(2);
  return outcomes[0] ?? 'nothing';
}

/** Compares the last sentence of a plan with what became of all its fields: it matches only where every field was compared. */
export function expectVerdict(document: PlanDocument, outcomes: readonly Outcome[], context: string): void {
  const verdict = verdictOf(document);
  const isQuiet = outcomes.every((outcome) => outcome === 'nothing');
  const isCounted = outcomes.some((outcome) => outcome.startsWith('counted'));
  expect(verdict.includes('The platform matches the manifest.'), `${context}: ${verdict}`).toBe(isQuiet);
  expect(/\d+ fields? (was|were) not compared: /.test(verdict), `${context}: ${verdict}`).toBe(isCounted);
}
