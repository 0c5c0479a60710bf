/** How fast a store or a database has to be. */
export interface Pace {
  /** How long it may take to answer, or to take or give the next `bytes` of a long text. Milliseconds. */
  readonly answerMs: number;
  readonly bytes: number;
}

/** A request while it is watched. */
export interface Watch {
  /** Aborts, with the reason, when the other side is too slow. */
  readonly signal: AbortSignal;
  /** The content of a request: a long text in parts, so that it shows whether the store takes them. */
  readonly sent: (text: string) => string | ReadableStream<Uint8Array>;
  /** Called with the number of bytes, whenever some of the answer come. */
  readonly received: (length: number) => void;
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
  let left = 0;
  const amount = `less than ${Math.floor(bytes / 1024)} KiB`;
  return {
    signal: giveUp.signal,
    sent: (text) => {
      const content = Buffer.from(text);
      if (content.length <= bytes) return text;
      const parts = function* () {
        for (let at = 0; at < content.length; at += bytes) {
          expect(`it took ${amount}`);
          yield content.subarray(at, at + bytes);
        }
        expect('no answer');
      };
      return ReadableStream.from<Uint8Array>(parts());
    },
    received: (length) => {
      left -= length;
      if (left > 0) return;
      expect(`it gave ${amount}`);
      left = bytes;
    },
    end: () => clearTimeout(timer),
  };
}
