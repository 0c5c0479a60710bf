/** How fast a store has to be. */
export interface Pace {
  /** How long it may take to answer, or to take or give the next `bytes` of a long text. Milliseconds. */
  readonly answerMs: number;
  readonly bytes: number;
}

/** A request while it is watched. */
export interface Watch {
  /** Aborts, with the reason, when the store is too slow. */
  readonly signal: AbortSignal;
  /** The content of a request: a long text in parts, so that it shows whether the store takes them. */
  readonly sent: (text: string) => string | ReadableStream<Uint8Array>;
  /** An answer, as it is read. */
  readonly received: (answer: Pick<Response, 'body'>) => { readonly body: AsyncIterable<Uint8Array> };
  readonly end: () => void;
}

/**
 * Watches a request from its beginning until `end`. How long it takes depends on its size: a state of 25 MB may come over a
 * slow network, and a store that hangs, or gives a byte now and then, is given up soon all the same.
 */
export function watchPace({ answerMs, bytes }: Pace): Watch {
  const giveUp = new AbortController();
  let missing = 'no answer';
  const timer = setTimeout(() => giveUp.abort(new Error(`${missing} within ${answerMs / 1_000} s`)), answerMs).unref();
  const expect = (what: string): void => {
    missing = what;
    timer.refresh();
  };
  const amount = `less than ${Math.floor(bytes / 1024)} KiB`;
  return {
    signal: giveUp.signal,
    sent: (text) => {
      const content = Buffer.from(text);
      if (content.length <= bytes) return text;
      const parts = function* () {
        for (let at = 0; at < content.length; at += bytes) {
          expect(`the store took ${amount}`);
          yield content.subarray(at, at + bytes);
        }
        expect('no answer');
      };
      return ReadableStream.from<Uint8Array>(parts());
    },
    received: ({ body }) => {
      const parts = async function* () {
        let left = 0;
        for await (const part of body ?? []) {
          left -= part.length;
          if (left <= 0) {
            expect(`the store gave ${amount}`);
            left = bytes;
          }
          yield part;
        }
      };
      return { body: parts() };
    },
    end: () => clearTimeout(timer),
  };
}
