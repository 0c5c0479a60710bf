import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { type PlatformError, answerLines } from './platform-error.ts';

/** A failed call as a report: the event, the answer of the server, the next step and what is known of the effect. */
export function diagnose(
  error: PlatformError,
  about: { readonly address?: string; readonly position?: Position | undefined } = {},
): Diagnostic & { readonly remedy: string } {
  const remedy = remedyAndOutcome(error);
  return { ...diagnostic('platform-answer', error.sentence, { details: answerLines(error), ...about }), remedy };
}

/** The next step after a failed call, and behind it what is known of its effect. */
export function remedyAndOutcome({ remedy, known }: PlatformError): string {
  return known === '' ? remedy : `${remedy} ${known}`;
}
