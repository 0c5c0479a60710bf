import { stop } from '../../diagnostics/diagnostic.ts';
import { isLoopback } from '../../api/loopback.ts';
import { decoded } from '../../secrets/passwords-in-addresses.ts';

/** The address of a database, read. */
export interface PostgresAddress {
  readonly url: URL;
  /** Host, port and database; the rest may be secret. */
  readonly location: string;
  /** false: the connection has no TLS. */
  readonly hasTls: boolean;
  /** This machine, over the loopback or a socket of the file system. */
  readonly isLocal: boolean;
  /**
   * The server may ask for the password itself: over TLS with a certificate that is checked, or on this machine where the
   * address says sslmode=disable.
   */
  readonly takesPassword: boolean;
}

/** The names of a database and of the variable with its address, for messages. */
interface Named {
  readonly database: string;
  readonly variable: string;
}

const ofState: Named = { database: 'the state in PostgreSQL', variable: 'TRUEUP_STATE_URL' };

const form = 'postgres://user:password@host/database';

/**
 * Reads the address of a database. A connection to another machine has TLS, and checks the certificate, unless the address
 * says otherwise in `sslmode`: without it the client would send the password to whoever answers.
 *
 * @throws {Stop} `state`, with no part of an address that cannot be read: it may be a part of the password.
 */
export function readPostgresAddress(text: string, of: Named = ofState): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The first "/", "?" or "#" ends the host. An "@" after it shows that it was meant to be a part of the password.
  const [, rest] = /^\s*postgres(?:ql)?:\/\/[^/?#]*(.*)$/is.exec(text) ?? [];
  if (url === undefined || rest === undefined) throw malformed(of, `has no address: ${of.variable} is not ${form}`);
  const hostname = decoded(url.hostname);
  const isUndecodable = hostname.includes('%') && hostname === url.hostname;
  if (url.hash !== '' || rest.includes('@') || isUndecodable)
    throw malformed(of, `has an address that cannot be read: ${of.variable}`);
  const parameter = (name: string) => url.searchParams.getAll(name).at(-1);
  const ssl = parameter('ssl');
  if (ssl !== undefined && !['true', '1'].includes(ssl)) {
    const message = `${of.database} has an address with ssl=, which ${of.variable} cannot have`;
    throw stop('state', 'state-unusable', message, { remedy: 'Write sslmode=verify-full or sslmode=disable instead.' });
  }
  const host = parameter('host') ?? hostname;
  const isLocal = host.startsWith('/') || isLoopback(host) || host === '::1';
  const mode = parameter('sslmode');
  const hasTls = mode === undefined ? !isLocal || ssl !== undefined : mode !== 'disable';
  // As libpq has it, most modes check less.
  const isChecked = mode !== 'no-verify' && (parameter('uselibpqcompat') !== 'true' || mode === 'verify-full');
  const takesPassword = (hasTls && isChecked) || (isLocal && mode === 'disable');
  return {
    url,
    location: `postgres://${parameter('host') ?? url.host}${url.pathname}`,
    hasTls,
    isLocal,
    takesPassword,
  };
}

function malformed({ database }: Named, what: string) {
  return stop('state', 'state-unusable', `${database} ${what}`, {
    remedy: `Write ${form}, with special characters of the password percent-encoded: / as %2F, @ as %40, # as %23, ? as %3F.`,
  });
}
