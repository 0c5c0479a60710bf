/** The HTTP proxy that the environment names for an address. */
export interface HttpProxy {
  /** The variable that names it, such as `HTTPS_PROXY`. */
  readonly variable: string;
  /** Its address, without user and password. */
  readonly origin: string;
  /** The header that signs in to it; undefined: the variable has no user. */
  readonly authorization: string | undefined;
}

/** Why a proxy did not let a request through. */
export type ProxyFailure =
  /** The code of the error that came in place of an answer. */
  | { readonly code: string }
  /** Its answer in place of a connection, and the ways to sign in that it offers. */
  | { readonly status: number; readonly offers?: Offers }
  | { readonly withinMs: number };

/** The header `proxy-authenticate`. */
type Offers = string | readonly string[] | undefined;

/** A proxy that did not let a request through, so the request was not sent. The message is a clause without credentials. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** Such as `PROXY_407` and `PROXY_ECONNREFUSED`. */
  readonly code: `PROXY_${string}`;
  /** The next steps, as sentences in the imperative. */
  readonly remedy: string;
  /** true: the same request may succeed later, with the same settings. */
  readonly mayPass: boolean;

  constructor(code: string, message: string, { remedy, mayPass }: Pick<ProxyError, 'remedy' | 'mayPass'>) {
    super(message);
    this.code = `PROXY_${code}`;
    this.remedy = remedy;
    this.mayPass = mayPass;
  }
}

/** Whether a code is that of a {ProxyError}. Never throws. */
export function isOfProxy(code: string | undefined): boolean {
  return code?.startsWith('PROXY_') === true;
}

/** The error of a proxy, or that behind an error. Never throws. */
export function proxyErrorIn(error: unknown): ProxyError | undefined {
  if (error instanceof ProxyError) return error;
  return error instanceof Error ? proxyErrorIn(error.cause) : undefined;
}

/** How to write a user and a password into an address. */
export const percentEncoding =
  'Percent-encode special characters of the user and the password: %40 for @, %2F for /, %25 for %.';

/** Explains why a proxy did not let a request through. `server`: the host and the port that it was for. Never throws. */
export function explainProxy(proxy: HttpProxy, server: string, failure: ProxyFailure): ProxyError {
  const { variable, origin } = proxy;
  const where = `the proxy of ${variable} (${origin})`;
  const check = `Check that ${variable} is the address of an HTTP proxy, and that the proxy runs.`;
  const past = `Where this machine reaches ${server.replace(/:\d+$/, '')} directly, add it to NO_PROXY.`;
  if ('withinMs' in failure) {
    const message = `${where} gave no connection to ${server} within ${failure.withinMs / 1_000} s`;
    return new ProxyError('TIMEOUT', message, { remedy: `${check} ${past}`, mayPass: true });
  }
  if ('code' in failure) {
    const [, event = 'ended the connection without an answer'] =
      silences.find(([codes]) => codes.test(failure.code)) ?? [];
    return new ProxyError(failure.code, `${where} ${event}`, { remedy: check, mayPass: true });
  }
  const { status } = failure;
  if (status === 407) return explainUnauthorized(proxy, where, failure.offers);
  const message = `${where} answered ${status} instead of connecting to ${server}`;
  const remedy = `Check that ${variable} is the address of an HTTP proxy which may connect to ${server} and reaches it. ${past}`;
  return new ProxyError(String(status), message, { remedy, mayPass: status >= 500 });
}

/** What a proxy that gives no answer does, by the codes of the system, of TLS, of the parser of HTTP and of undici. */
const silences: readonly (readonly [codes: RegExp, event: string])[] = [
  [/^ECONNREFUSED$/, 'refused the connection'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'has a host name that could not be resolved'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'could not be reached'],
  [/^(EPROTO|ERR_SSL_)/, 'does not speak TLS as its https:// says'],
  [/CERT|SIGNATURE/, 'has a certificate that is not trusted'],
  [/^(HPE_|HTTPParserError$)/, 'answered something else than HTTP'],
];

function explainUnauthorized({ variable, authorization }: HttpProxy, where: string, offers: Offers): ProxyError {
  const schemes = [offers ?? []].flat().flatMap((offer) => offer.match(/(?<=^|, ?)[A-Za-z]\w{0,20}(?=$| |,)/g) ?? []);
  const takesBasic = schemes.length === 0 || schemes.some((scheme) => /^basic$/i.test(scheme));
  const [event, remedy] = !takesBasic
    ? [
        `lets users sign in by ${schemes.join(', ')} only (407)`,
        'Trueup signs in by Basic, with a user and a password. Use a proxy that takes that, or one on this machine that signs in to the other.',
      ]
    : authorization === undefined
      ? ['asks for a user and a password (407)', `Set ${variable}=http://USER:PASSWORD@HOST:PORT. ${percentEncoding}`]
      : [
          `does not accept the user and the password of ${variable} (407)`,
          `Correct them in ${variable}. ${percentEncoding}`,
        ];
  return new ProxyError('407', `${where} ${event}`, { remedy, mayPass: false });
}
