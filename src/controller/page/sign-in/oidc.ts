import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as client from 'openid-client';
import { fetchUrl } from '../../../api/fetch-url.ts';
import { isLoopback } from '../../../api/loopback.ts';
import { proxyErrorIn } from '../../../api/proxy-error.ts';
import { markup } from '../../../render/markup.ts';
import { refusal, renderPlain } from '../refusal.ts';
import { type HostCookie, type Sessions, cookieFor } from '../sessions.ts';
import { checkedName } from './checked-name.ts';
import { returnPath } from './return-path.ts';

/** A provider of OpenID Connect. */
export interface OidcSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** The claim with the groups. */
  readonly groups: string;
  /** The claim with the name; undefined: the e-mail address if the provider verified it, or else `sub`. */
  readonly user?: string | undefined;
}

interface Flow {
  readonly oidc: OidcSignIn;
  readonly address: string;
  readonly sessions: Sessions;
  readonly onError: (error: unknown) => void;
}

/** A sign-in that began so long ago begins again. Milliseconds. */
const flowMs = 10 * 60_000;
const callback = '/sign-in/callback';

/**
 * Signs in by the code flow with PKCE. What must come back stands in one cookie of the browser: a secret of this sign-in, of which
 * state, nonce and verifier are made. The controller keeps nothing until the person is signed in.
 */
export function addOidc(app: FastifyInstance, flow: Flow): void {
  const { address, oidc, sessions } = flow;
  const cookie = cookieFor(address, 'trueup-sign-in');
  const provider = providerOf(oidc, flow.onError);
  app.get<{ Querystring: { to?: unknown } }>(
    '/sign-in',
    { config: { act: 'public', limit: 'sign-in' } },
    async ({ query }, reply) => {
      const config = await provider();
      const begun = `${randomBytes(32).toString('base64url')}.${Date.now()}.${Buffer.from(returnPath(query.to, address)).toString('base64url')}`;
      void reply.setCookie(cookie.name, begun, { ...cookie.options, maxAge: flowMs / 1_000 });
      const { state, nonce, verifier } = checksOf(begun);
      const to = client.buildAuthorizationUrl(config, {
        redirect_uri: `${address}${callback}`,
        scope: oidc.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return reply.redirect(to.href, 302);
    },
  );
  app.get(callback, { config: { act: 'public', limit: 'sign-in' } }, async (request, reply) => {
    const { identity, to } = await finish(request, reply, { ...flow, cookie, provider });
    await sessions.begin(request, reply, identity);
    return reply.redirect(to, 302);
  });
  app.get('/signed-out', { config: { act: 'public' } }, async (_request, reply) => {
    const end = await provider().then(
      (config) => endOf(config, address),
      () => undefined,
    );
    const more = end === undefined ? '' : markup` <a href="${end}">Sign out of ${new URL(oidc.issuer).host}, too</a>.`;
    return reply
      .type('text/html; charset=utf-8')
      .send(renderPlain('Signed out', markup`<p>You are signed out. <a href="/">Sign in again</a>.${more}</p>`));
  });
}

type Provider = () => Promise<client.Configuration>;

/** Reads what the provider says of itself, when the first user signs in; again, after it did not answer. */
function providerOf({ issuer, clientId, clientSecret }: OidcSignIn, onError: Flow['onError']): Provider {
  let known: Promise<client.Configuration> | undefined;
  const url = new URL(issuer);
  const authentication: client.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    chosen(clientSecret)(server, ...rest);
  };
  const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
  // The signature counts, whatever connection a token came by.
  const execute = [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])];
  return async () => {
    known ??= client.discovery(url, clientId, undefined, authentication, {
      execute,
      timeout: 10,
      [client.customFetch]: (to, request) => fetchUrl(to, request as RequestInit),
    });
    return known.catch((error: unknown) => {
      known = undefined;
      onError(new Error(`the provider of the sign-in does not answer: ${reasonOf(proxyErrorIn(error) ?? error)}`));
      throw refusal(503, 'The provider of the sign-in does not answer. Try again soon.');
    });
  };
}

interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** All of the cookie counts: with another time or another way back it makes another state. */
function checksOf(begun: string): Checks {
  const [secret = ''] = begun.split('.');
  const make = (what: string): string => createHmac('sha256', secret).update(`${what} ${begun}`).digest('base64url');
  return { state: make('state'), nonce: make('nonce'), verifier: make('verifier') };
}

interface Signed {
  readonly identity: { readonly name: string; readonly groups: readonly string[]; readonly by: 'oidc' };
  readonly to: string;
}

async function finish(
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, provider, address, oidc, onError }: Flow & { readonly cookie: HostCookie; readonly provider: Provider },
): Promise<Signed> {
  const begun = request.cookies[cookie.name] ?? '';
  void reply.clearCookie(cookie.name, cookie.options);
  const [secret = '', at = '', to = ''] = begun.split('.');
  const { state, nonce, verifier } = checksOf(begun);
  const { state: given } = request.query as { readonly state?: unknown };
  const isOurs = /^[\w-]{43}$/.test(secret) && Date.now() - Number(at) < flowMs && typeof given === 'string';
  if (!isOurs || !isSame(given, state))
    throw refusal(403, 'This sign-in began elsewhere, or too long ago. Begin again.');
  const config = await provider();
  try {
    const tokens = await client.authorizationCodeGrant(config, new URL(request.url, address), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims() ?? {};
    const all = await withGroups(config, tokens.access_token, { claims, groups: oidc.groups });
    const identity = {
      name: checkedName(nameIn(all, oidc.user)),
      groups: textsIn(all[oidc.groups]),
      by: 'oidc',
    } as const;
    return { identity, to: returnPath(Buffer.from(to, 'base64url').toString(), address) };
  } catch (error) {
    onError(new Error(`a sign-in failed: ${reasonOf(error)}`));
    throw refusal(403, 'The sign-in did not succeed. Begin again; the log of the page says what failed.');
  }
}

/** What the library says, and the word of the provider; what came with it may hold tokens. */
function reasonOf(error: unknown): string {
  const { message, cause, error: word } = error as Error & { readonly error?: unknown };
  const known = typeof word === 'string' && /^\w+$/.test(word) ? word : undefined;
  return [message, cause instanceof Error ? cause.message : undefined, known]
    .filter((one) => one !== undefined)
    .join(': ');
}

type Claims = Readonly<Record<string, unknown>>;

/** Some providers say groups only when they are asked once more. */
async function withGroups(
  config: client.Configuration,
  accessToken: string,
  { claims, groups }: { readonly claims: Claims; readonly groups: string },
): Promise<Claims> {
  if (Object.hasOwn(claims, groups) || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const info = await client.fetchUserInfo(config, accessToken, String(claims['sub']));
  return { ...info, ...claims };
}

function nameIn(claims: Claims, claim: string | undefined): string {
  const { email, email_verified: isVerified, sub } = claims;
  if (claim === undefined) return String(isVerified === true && typeof email === 'string' ? email : sub);
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return typeof name === 'string' ? name : '';
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((one): one is string => typeof one === 'string');
}

function endOf(config: client.Configuration, address: string): string | undefined {
  if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
  return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${address}/signed-out` }).href;
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
