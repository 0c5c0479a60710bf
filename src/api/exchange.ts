import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { GrowingBytes } from './limited-body.ts';
import { TransportError } from './platform-error.ts';
import { type WireAnswer, isCompressed } from './wire.ts';

/** What a request is part of. The limits of its answer are in bytes: a success above its own is an error, an error is cut. */
interface About {
  readonly limits: { readonly whole: number; readonly ofError: number };
  /** Throws when the request may not start any more; asked when it is about to go out on its connection. */
  readonly mayStart: () => void;
}

/** One request on its way, and its answer as far as it came. `answer` rejects where no whole one comes. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<WireAnswer>;
  readonly #about: About;
  #resolve!: (answer: WireAnswer) => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** Why it was given up. */
  #ended: { readonly error: Error } | undefined;
  #status = 0;
  #headers: WireAnswer['headers'] = {};
  readonly #body = new GrowingBytes();

  constructor(about: About) {
    this.#about = about;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** false: it has no connection yet, so nothing of it was sent. */
  get hasStarted(): boolean {
    return this.#controller !== undefined;
  }

  /** Sends the request, unless it was given up. */
  sendOver(agent: Dispatcher, options: Dispatcher.DispatchOptions): void {
    if (this.#ended === undefined) agent.dispatch(options, this);
  }

  /** Ends it: a request that has no connection yet is not sent. */
  giveUp(error: Error): void {
    this.#ended = { error };
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended !== undefined) throw this.#ended.error;
    this.#about.mayStart();
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    if (status < 200) return; // the answer comes later
    this.#status = status;
    this.#headers = flattened(headers);
    if (isCompressed(this.#headers['content-encoding']))
      throw new TransportError('ENCODING', 'the answer is compressed although that was not asked for');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { whole, ofError } = this.#about.limits;
    this.#body.add(chunk);
    if (this.#isError() && this.#body.size > ofError) {
      this.onResponseEnd();
      controller.abort(new Error('the rest is not read'));
    } else if (this.#body.size > whole)
      throw new TransportError('BODY_LIMIT', `the answer is longer than ${whole} bytes`);
  }

  onResponseEnd(): void {
    const body = this.#body.whole();
    try {
      const text = this.#isError() ? lenient.decode(body.subarray(0, this.#about.limits.ofError)) : strictly(body);
      this.#resolve({ status: this.#status, headers: this.#headers, body: text });
    } catch (error) {
      this.#reject(error);
    }
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error);
  }

  #isError(): boolean {
    return this.#status < 200 || this.#status > 299;
  }
}

const lenient = new TextDecoder();

/** @throws {TransportError} for bytes that are no text */
function strictly(body: Buffer): string {
  if (!isUtf8(body)) throw new TransportError('NOT_UTF8', 'the answer is not UTF-8 text');
  return lenient.decode(body);
}

function flattened(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
