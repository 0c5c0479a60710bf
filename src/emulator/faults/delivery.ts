import type { WireAnswer } from '../../api/wire.ts';

/** An answer with what happens to it on its way. */
export interface Delivered extends WireAnswer {
  /** `ends`: before the length that was announced. `resets`: in its middle. `drips`: in small parts. */
  readonly way?: { readonly is: 'ends' | 'resets' } | { readonly is: 'drips'; readonly ms: number };
}

/** What a client sees of an answer whose connection broke off. */
class Broken extends Error {
  override readonly name = 'Broken';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a client gets of an answer, with the codes that sockets and their library use. */
export async function receive(
  { way, ...answer }: Delivered,
  sleep: (ms: number) => Promise<void>,
): Promise<WireAnswer> {
  switch (way?.is) {
    case undefined:
      return answer;
    case 'ends':
      throw new Broken('UND_ERR_SOCKET', 'other side closed');
    case 'resets':
      throw new Broken('ECONNRESET', 'read ECONNRESET');
    case 'drips':
      await sleep(way.ms);
      return answer;
    default:
      return way satisfies never;
  }
}
