import { flags } from '../../diagnostics/safeguards.ts';
import { permission } from '../action-sentence.ts';
import type { PlanDocument } from '../document-schemas.ts';
import { adoptionConsent } from '../effects.ts';

/** What the reader of a page can do about what it says: the words differ where no command applies the plan. */
export interface Reader {
  /** How data at risk is allowed, such as `apply needs the box above to be ticked`, and how it was. */
  readonly needed: string;
  readonly given: string;
  /** What lets the plan adopt objects, behind their number. */
  readonly adoption: string;
  /** Behind the number of objects that are not managed: what lists them. */
  readonly unmanaged: string;
  /** Behind the number of resources that are too many for a picture: what shows fewer. */
  readonly tooMany: string;
  /** What to do about a diagnostic. */
  readonly remedyOf: (diagnostic: PlanDocument['diagnostics'][number]) => string | undefined;
  /** A sentence of a diagnostic in the words of the reader. */
  readonly wordsOf: (text: string) => string;
  /** How to do what a command of a finding does. */
  readonly wayOf: (command: string) => { readonly words: string; readonly isCommand: boolean };
}

/** Of whoever has the command line. */
export const readerOfCommand: Reader = {
  needed: permission({ protect: undefined }),
  given: `allowed by ${flags.dataLoss}`,
  adoption: adoptionConsent,
  unmanaged: ' (trueup export --unmanaged)',
  tooMany: ': plan with --target, or run trueup graph --target',
  remedyOf: ({ remedy }) => remedy,
  wordsOf: (text) => text,
  wayOf: (words) => ({ words, isCommand: true }),
};
