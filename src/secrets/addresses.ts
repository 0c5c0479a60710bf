import { isReference } from './open-values.ts';
import type { Part } from './parts.ts';

/** Passwords in addresses: `scheme://user:password@host`; a user alone where it may be a token. */
export function findInAddresses(text: string, found: Part[]): void {
  for (let at = text.indexOf('://'); at !== -1;) {
    const from = at + 3;
    // Of git over HTTP a user alone is a token.
    const isHttp = /https?$/i.test(text.slice(Math.max(0, at - 5), at));
    at = text.indexOf('://', from);
    // One that is longer is no address of people, and one that holds another one ends there.
    const run =
      text.slice(from, Math.min(at === -1 ? text.length : at, from + longestAddress)).split(endOfAddress, 1)[0] ?? '';
    const authority = run.slice(0, run.search(/[/?#]|$/));
    let end = authority.lastIndexOf('@');
    const colon = run.replace(/\$\{[^{}]*\}/g, (variable) => '$'.repeat(variable.length)).indexOf(':');
    // A password with a slash in it; behind a host stands a port.
    if (end === -1 && colon !== -1 && !/^\d{0,5}(?:[/?#]|$)/.test(run.slice(colon + 1))) end = run.lastIndexOf('@');
    // One with both: of git and packages over HTTP a path may have the second sign.
    else if (colon !== -1 && colon < end && !isHttp) end = (run.split(/[?#]/, 1)[0] ?? '').lastIndexOf('@');
    if (end === -1) continue;
    const user = colon === -1 || colon > end ? end : colon;
    if (user < end) {
      const password = run.slice(user + 1, end);
      if (password !== '' && !isReference(password)) found.push([from + user + 1, from + end]);
    } else if (
      end > 0 &&
      !isReference(run.slice(0, end)) &&
      (isHttp || !/^[a-z][a-z_-]{0,15}$/.test(run.slice(0, end)))
    ) {
      found.push([from, from + end]);
    }
  }
}

const endOfAddress = /[\s"'`<>;|\\]/;
const longestAddress = 2_048;
