import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of OpenID Connect that a test can make lie. */
export interface OidcProvider {
  readonly issuer: string;
  /** Signs a user in: the address that the browser is sent back to. */
  readonly authorize: (address: string, lies?: Lies) => URL;
  /** What clients sent for tokens, and whether they got some. */
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string; readonly isGiven: boolean }[];
  readonly userinfo: Record<string, unknown>;
  readonly stop: () => void;
}

/** What is otherwise than it should be in the token, or in the answer to the browser. */
export interface Lies {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly answer?: Readonly<Record<string, string>>;
  readonly signature?: 'of another key' | 'none' | 'by the client secret';
}

const client = { id: 'trueup', secret: 'the-secret-of-the-client' };

/** `name`: the address that it is known by; by default its own. */
export async function startOidcProvider(
  user: Readonly<Record<string, unknown>>,
  name?: string,
): Promise<OidcProvider & { readonly port: number }> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { readonly token: string; readonly challenge: string; readonly redirect: string }>();
  const exchanges: { form: URLSearchParams; authorization: string; isGiven: boolean }[] = [];
  const userinfo: Record<string, unknown> = { sub: user['sub'] };
  let issuer = '';

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/.well-known/openid-configuration')
        return answer(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          end_session_endpoint: `${issuer}/end`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      if (request.url === '/keys')
        return answer(200, {
          keys: [{ ...own.publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: '1' }],
        });
      if (request.url === '/userinfo') return answer(200, userinfo);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const code = codes.get(form.get('code') ?? '');
      // A code is good for one exchange.
      codes.delete(form.get('code') ?? '');
      const { authorization = '' } = request.headers;
      const [id, secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
      const isClient = decodeURIComponent(id ?? '') === client.id && decodeURIComponent(secret ?? '') === client.secret;
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isGiven =
        isClient && code !== undefined && code.challenge === challenge && code.redirect === form.get('redirect_uri');
      exchanges.push({ form, authorization, isGiven });
      if (!isGiven) return answer(400, { error: 'invalid_grant' });
      return answer(200, {
        access_token: 'an-access-token',
        token_type: 'Bearer',
        id_token: code.token,
        expires_in: 60,
      });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  issuer = name ?? `http://127.0.0.1:${port}`;

  return {
    port,
    issuer,
    exchanges,
    userinfo,
    authorize: (address, { claims = {}, answer = {}, signature } = {}) => {
      const asked = new URL(address).searchParams;
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: client.id,
        iat: now,
        exp: now + 60,
        nonce: asked.get('nonce'),
        ...user,
        ...claims,
      };
      const token = tokenOf(payload, signature === 'of another key' ? other.privateKey : own.privateKey, signature);
      const code = randomBytes(16).toString('hex');
      const redirect = asked.get('redirect_uri') ?? '';
      codes.set(code, { token, challenge: asked.get('code_challenge') ?? '', redirect });
      const back = new URL(redirect);
      for (const [name, value] of Object.entries({ code, state: asked.get('state') ?? '', ...answer }))
        back.searchParams.set(name, value);
      return back;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function tokenOf(payload: object, key: KeyObject, signature: Lies['signature']): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const alg = signature === 'none' ? 'none' : signature === 'by the client secret' ? 'HS256' : 'RS256';
  const text = `${encode({ alg, kid: '1' })}.${encode(payload)}`;
  if (signature === 'none') return `${text}.`;
  if (signature === 'by the client secret')
    return `${text}.${createHash('sha256').update(client.secret).digest('base64url')}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** The settings of the page for it. */
export function oidcAt({ issuer }: OidcProvider) {
  return {
    oidc: {
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      scopes: ['openid', 'email'],
      groups: 'groups',
    },
  };
}
