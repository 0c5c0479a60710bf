import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Act, Grant, Identity, Viewer } from './viewer.ts';

/** What a route needs: an act that the viewer's role allows somewhere, a sign-in alone (`self`), or nothing. */
export type Need = Act | 'self' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    act?: Need;
  }
  interface FastifyRequest {
    /** Who sends it. On a public route no sender is known, and to ask throws a refusal. */
    readonly viewer: Viewer;
    /** What a sign-in found out; undefined: the visitor is not signed in. */
    known: Known | undefined;
  }
  interface FastifyReply {
    /** A token for the hidden field `_csrf` of a form, or the header `x-csrf-token`. Empty where none is needed. */
    readonly csrf: () => string;
  }
}

/** Who sent a request, by one way of signing in. */
export interface Known {
  readonly identity: Identity;
  /** What the identity may do. */
  readonly grants: readonly Grant[];
  /** The secret of the browser that CSRF tokens are made of; undefined: a browser sends none of what proves this identity. */
  readonly csrfKey: string | undefined;
  /** Whether it still holds, for what goes on for long; undefined: it always does. */
  readonly holds?: () => Promise<boolean>;
}

/** A way to prove who sends a request. Undefined: the request has nothing of this way. @throws {Refusal} when what it has is wrong */
export type Way = (request: FastifyRequest, reply: FastifyReply) => Promise<Known | undefined>;
