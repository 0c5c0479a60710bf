import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from '../../../api/loopback.ts';
import { markup } from '../../../render/markup.ts';
import { refusal, renderPlain } from '../refusal.ts';
import type { Sessions } from '../sessions.ts';

/** A page of one user on this machine, who signs in by a link in the terminal. */
export interface LinkSignIn {
  /** Of `newSignInCode`. It signs in once. */
  readonly code: string;
  /** The name of the user, as events have it. */
  readonly name: string;
}

/** A code of 256 random bits. */
export function newSignInCode(): string {
  return randomBytes(32).toString('base64url');
}

/** The link for the terminal. */
export function signInLink(address: string, { code }: LinkSignIn): string {
  return `${new URL(address).origin}/sign-in/link?code=${code}`;
}

/**
 * Refuses what comes from elsewhere, or by another name than that of the page: a site whose name leads here, or a proxy which
 * opens this page to others.
 *
 * @throws {Refusal} 403
 */
export function refuseElsewhere({ socket, headers }: FastifyRequest, address: string): void {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].some(
    (name) => name in headers,
  );
  if (!isLoopback(peer.includes(':') ? `[${peer}]` : peer) || isForwarded || headers.host !== new URL(address).host)
    throw refusal(403, 'This page is for its own machine. Set signIn in the settings to open it to others.');
}

/** To look at the link changes nothing; the button behind it signs in. */
export function addLink(app: FastifyInstance, { code, name }: LinkSignIn, sessions: Sessions): void {
  let isUsed = false;
  const spent = 'This link is not valid any more. Start `trueup controller serve` again: it prints a new one.';
  app.get('/sign-in', { config: { act: 'public', limit: 'sign-in' } }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .send(
        renderPlain('Sign in', markup`<p>Open the link that \`trueup controller serve\` printed in its terminal.</p>`),
      ),
  );
  app.get<{ Querystring: { code?: unknown } }>(
    '/sign-in/link',
    { config: { act: 'public', limit: 'sign-in' } },
    ({ query }, reply) => {
      if (isUsed || !isSame(query.code, code)) throw refusal(403, spent);
      const form = markup`<form method="post" action="/sign-in/link"><input type="hidden" name="code" value="${code}"><button>Sign in as ${name}</button></form>`;
      return reply.type('text/html; charset=utf-8').send(renderPlain('Sign in', form));
    },
  );
  app.post<{ Body: { code?: unknown } | undefined }>(
    '/sign-in/link',
    { config: { act: 'public', limit: 'sign-in' } },
    async (request, reply) => {
      if (isUsed || !isSame(request.body?.code, code)) throw refusal(403, spent);
      isUsed = true;
      await sessions.begin(request, reply, { name, groups: [], by: 'link' }).catch((error: unknown) => {
        isUsed = false;
        throw error;
      });
      return reply.redirect('/', 303);
    },
  );
}

function isSame(given: unknown, code: string): boolean {
  const [a, b] = [String(given), code].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
