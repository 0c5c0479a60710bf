import type { WireAnswer } from '../../api/wire.ts';

/** An answer, and what happens to the connection that carries it. */
export interface Delivered extends WireAnswer {
  /** `ends`: before the length that was announced. `resets`: in its middle. `drips`: in small parts. */
  readonly connection?: { readonly is: 'ends' | 'resets' } | { readonly is: 'drips'; readonly ms: number };
}

/** The error of a client when the connection breaks off. */
class Broken extends Error {
  override readonly name = 'Broken';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answer as a client gets it. @throws {Broken} with the code of undici or of the socket. */
export async function receive(
  { connection, ...answer }: Delivered,
  sleep: (ms: number) => Promise<void>,
): Promise<WireAnswer> {
  switch (connection?.is) {
    case undefined:
      return answer;
    case 'ends':
      throw new Broken('UND_ERR_SOCKET', 'other side closed');
    case 'resets':
      throw new Broken('ECONNRESET', 'read ECONNRESET');
    case 'drips':
      await sleep(connection.ms);
      return answer;
    default:
      return connection satisfies never;
  }
}
