import type { FastifyInstance } from 'fastify';
import { markup } from '../../../render/markup.ts';
import type { Records } from '../../records/all.ts';
import type { Known, Way } from '../sender.ts';
import { refusal, renderPlain } from '../refusal.ts';
import { type Sessions, sessionsOf } from '../sessions.ts';
import type { Grant } from '../viewer.ts';
import { type LinkSignIn, addLink } from './link.ts';
import { type OidcSignIn, addOidc } from './oidc.ts';
import { type ProxySignIn, proxyWay } from './proxy.ts';

/** How people sign in. */
export type SignIn = { readonly oidc: OidcSignIn } | { readonly proxy: ProxySignIn } | { readonly link: LinkSignIn };

interface SignInOptions {
  readonly address: string;
  readonly records: Records;
  readonly roles: readonly Grant[];
  readonly onError: (error: unknown) => void;
}

/** The way of people, and the routes by which they sign in and out. */
export function signInBy(
  signIn: SignIn,
  options: SignInOptions,
): { readonly way: Way; readonly add: (app: FastifyInstance) => void } {
  const { address, records, roles, onError } = options;
  const sessions = sessionsOf(records, address);
  const way = 'proxy' in signIn ? proxyWay(signIn.proxy, { sessions, roles }) : sessionWay(sessions, signIn, roles);
  const add = (app: FastifyInstance): void => {
    if ('oidc' in signIn) addOidc(app, { oidc: signIn.oidc, address, sessions, onError });
    else if ('link' in signIn) addLink(app, signIn.link, sessions);
    else
      app.get('/sign-in', { config: { act: 'public', limit: 'sign-in' } }, () => {
        throw refusal(
          403,
          'The proxy in front of this page signs people in, and this request did not come through it.',
        );
      });
    if (!('oidc' in signIn))
      app.get('/signed-out', { config: { act: 'public' } }, (_request, reply) =>
        reply.type('text/html; charset=utf-8').send(renderPlain('Signed out', markup`<p>You are signed out.</p>`)),
      );
    app.post('/sign-out', { config: { act: 'self' } }, async (request, reply) => {
      await sessions.end(request, reply);
      return reply.redirect('/signed-out', 303);
    });
  };
  return { way, add };
}

/** The way of a browser that signed in before, by the same kind of sign-in as now. */
function sessionWay(sessions: Sessions, signIn: SignIn, roles: readonly Grant[]): Way {
  return async (request): Promise<Known | undefined> => {
    const session = await sessions.find(request);
    if (session === undefined || !(session.by in signIn)) return undefined;
    const { id, ...identity } = session;
    // Who has the terminal of the page has its files as well.
    const grants: readonly Grant[] = identity.by === 'link' ? [{ user: identity.name, role: 'admin' }] : roles;
    return { identity, grants, csrfKey: id, holds: () => sessions.holds(id) };
  };
}
