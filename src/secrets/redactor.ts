import { passwordsIn } from './credentials.ts';
import type { Bounds, Known } from './known.ts';
import { createKnown } from './known.ts';
import { redacted } from './secret.ts';
import { visitViews } from './views.ts';

/** Replaces the secrets of one session in text. It holds them until it is dropped with its session. */
export interface Redactor {
  /**
   * Adds a secret. Values of fewer than six characters are too common to replace. `isPrivate`: a text that may hold
   * secrets beside ordinary words, such as a value of the env of a service. Only texts of the platform are kept from
   * quoting it, and only if it is no plain word, host name or the like.
   */
  readonly add: (secret: string, about?: { readonly isPrivate?: boolean }) => void;
  /** Replaces the secrets in a text of Trueup. */
  readonly redact: (text: string) => string;
  /** Replaces secrets and private texts in a text of the platform, which may quote what it was sent. */
  readonly redactForeign: (text: string) => string;
}

/**
 * Makes the redactor of one session: a process that holds many projects makes one for each. It replaces a secret in
 * every form of `visitViews`; the password of an address and each line of several by itself; backwards; with other case or
 * separators, where it stands by itself; and its beginning, where a text was cut. Its time is linear in the text and
 * grows with the logarithm of the number of secrets. Never throws.
 */
export function createRedactor(): Redactor {
  const secrets = createKnown();
  const texts = createKnown({ isExact: true });
  const redact = (text: string, known: readonly Known[]): string => {
    if (text.length < shortest || known.every(({ isEmpty }) => isEmpty())) return text;
    const found: Bounds[] = [];
    visitViews(text, (view) => {
      for (const { find } of known) find(view, found);
    });
    return found.length === 0 ? text : without(text, found);
  };
  return {
    add: (secret, { isPrivate = false } = {}) => {
      for (const part of partsOf(secret)) {
        if (!isPrivate) secrets.add(part);
        else if (!isOrdinary(part)) texts.add(part);
      }
    },
    redact: (text) => redact(text, [secrets]),
    redactForeign: (text) => redact(text, [secrets, texts]),
  };
}

/** The text without these parts. Two that overlap become one: a rest of either would show part of a secret. */
function without(text: string, found: Bounds[]): string {
  let clean = '';
  let from = 0;
  let [start, end] = [-1, 0];
  const close = () => {
    if (start === -1) return;
    clean += text.slice(from, start) + redacted;
    from = end;
  };
  for (const [first, last] of found.toSorted(([a], [b]) => a - b)) {
    if (start === -1 || first >= end) {
      close();
      [start, end] = [first, last];
    }
    end = Math.max(end, last);
  }
  close();
  return clean + text.slice(from);
}

const shortest = 6;

/** A secret, its lines, and the passwords of its addresses; not the lines that every key in PEM begins and ends with. */
function partsOf(secret: string): Iterable<string> {
  const lines = secret.split(/\r\n|\r|\n/).map((line) => line.trim());
  const parts = [secret, ...lines, ...passwordsIn(secret)];
  return new Set(parts.filter((part) => part.length >= shortest && !/^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(part)));
}

/** A word, a number, a host name, a path, an address or the like: `production`, `eu-central-1`, `https://shop.example.com`. */
function isOrdinary(text: string): boolean {
  if (/[-_]/.test(text) && text.length > 12) return false;
  return text.split(/[-_./:]+/).every((chunk) => /^(?:[A-Z]?[a-z]{0,16}|[A-Z]{1,16}|\d{0,5})$/.test(chunk));
}
