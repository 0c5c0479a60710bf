import { createHash, timingSafeEqual } from 'node:crypto';
import type { Way } from './sender.ts';
import { refusal } from './refusal.ts';
import type { Labels, Role } from './viewer.ts';

/** A token of a program. */
export interface ApiToken {
  readonly name: string;
  readonly token: string;
  readonly role: Role;
  readonly labels?: Labels | undefined;
}

/** The way of programs: `Authorization: Bearer TOKEN`. A browser never sends it by itself, so it needs no CSRF token. */
export function tokenWay(tokens: readonly ApiToken[]): Way {
  const known = tokens.map(({ token, ...rest }) => ({ ...rest, digest: digestOf(token) }));
  return async ({ headers }) => {
    if (headers.authorization === undefined) return undefined;
    const given = digestOf(/^Bearer +(\S+)$/i.exec(headers.authorization)?.[1] ?? '');
    const found = known.find(({ digest }) => timingSafeEqual(digest, given));
    if (found === undefined) throw refusal(401, 'The token is not one of this controller.');
    const { role, labels } = found;
    const name = `token:${found.name}`;
    return {
      identity: { name, groups: [], by: 'token' },
      grants: [{ user: name, role, labels }],
      csrfKey: undefined,
    };
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
