import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Records } from '../records/all.ts';
import type { SessionRecord } from '../records/sessions.ts';

/** The sessions of browsers, by a cookie. */
export interface Sessions {
  /** The session that a request belongs to, with its id, a secret of the browser. */
  readonly find: (request: FastifyRequest) => Promise<(SessionRecord & { readonly id: string }) | undefined>;
  /** Begins a session with a new id, and ends the one that the browser had. Gives the id. */
  readonly begin: (request: FastifyRequest, reply: FastifyReply, session: SessionRecord) => Promise<string>;
  /** Whether the session of an id is not over yet. To ask is no use of it. */
  readonly holds: (id: string) => Promise<boolean>;
  readonly end: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/**
 * Opens the sessions. An id has 256 bits of chance, so that it needs no signature and the controller no secret of its own; the
 * database has its SHA-256 alone, so that who reads it can sign in as no user.
 */
export function sessionsOf(records: Records, address: string): Sessions {
  const cookie = cookieFor(address, 'trueup');
  const idIn = ({ cookies }: FastifyRequest): string | undefined => {
    const id = cookies[cookie.name];
    return id !== undefined && /^[\w-]{43}$/.test(id) ? id : undefined;
  };
  return {
    find: async (request) => {
      const id = idIn(request);
      const session = id === undefined ? undefined : await records.session(digestOf(id));
      return id === undefined || session === undefined ? undefined : { ...session, id };
    },
    begin: async (request, reply, session) => {
      const id = randomBytes(32).toString('base64url');
      const former = idIn(request);
      await records.beginSession(digestOf(id), former === undefined ? undefined : digestOf(former), session);
      void reply.setCookie(cookie.name, id, cookie.options);
      return id;
    },
    holds: (id) => records.sessionHolds(digestOf(id)),
    end: async (request, reply) => {
      const id = idIn(request);
      if (id !== undefined) await records.endSession(digestOf(id));
      void reply.clearCookie(cookie.name, cookie.options);
    },
  };
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** A cookie of this host alone, that no script reads, and that no form of another site sends along. */
export interface HostCookie {
  readonly name: string;
  readonly options: { readonly path: '/'; readonly httpOnly: true; readonly secure: boolean; readonly sameSite: 'lax' };
}

/** Over plain http, which is for this machine alone, browsers take no `__Host-`. */
export function cookieFor(address: string, name: string): HostCookie {
  const secure = address.startsWith('https:');
  return {
    name: secure ? `__Host-${name}` : name,
    options: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
  };
}
