import type { Expression } from './expression.ts';
import type { ScalarNode } from './tree.ts';
import type { Concealed } from './wanted.ts';

/** A part of a text that a parameter with the name of a secret gave. */
type SecretText = Concealed & { readonly hidden: string };

/** A part of a text before its expressions are evaluated. */
export type TextPiece = string | Expression | SecretText;

/** The parts of a text, with those apart that parameters gave whose names are those of secrets. */
export function secretsApart(
  text: string,
  parts: readonly (string | Expression)[],
  secretParts: NonNullable<ScalarNode['secretParts']>,
): readonly TextPiece[] {
  let start = 0;
  return parts.flatMap((part, at): TextPiece | readonly TextPiece[] => {
    const from = start;
    const next = parts[at + 1];
    start = typeof part === 'object' ? part.to : typeof next === 'object' ? next.from : text.length;
    if (typeof part === 'object') return part;
    const own = secretParts.filter((one) => one.to > from && one.from < start);
    // With an escape in it, a text is shorter than it is written: where the secret stands is not known.
    if (own[0] !== undefined && start - from !== part.length) return concealed(own[0].name, part);
    return split(
      part,
      own.map((one) => ({ name: one.name, from: one.from - from, to: one.to - from })),
    );
  });
}

function split(text: string, secrets: NonNullable<ScalarNode['secretParts']>): readonly (string | SecretText)[] {
  const pieces: (string | SecretText)[] = [];
  let done = 0;
  for (const { name, from, to } of secrets) {
    if (from > done) pieces.push(text.slice(done, from));
    pieces.push(concealed(name, text.slice(Math.max(from, 0), to)));
    done = to;
  }
  return done < text.length ? [...pieces, text.slice(done)] : pieces;
}

function concealed(name: string, hidden: string): SecretText {
  return { from: 'param', name, hidden };
}
