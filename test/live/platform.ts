/** A row of the platform. */
export type Row = Readonly<Record<string, unknown>>;

/** The platform as the tests themselves speak to it, without anything that is tested. */
export interface Direct {
  /** Reads; undefined when the platform has no such operation or object. @throws {Refused} for every other failure. */
  get(operation: string, input?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Writes. @throws {Refused} when the platform does not do it. */
  post(operation: string, input: Row): Promise<unknown>;
}

/** The platform did not do what it was asked; nothing of the input is in the message. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(operation: string, status: number) {
    super(`${operation} was answered with ${status}`);
    this.status = status;
  }

  /** The key has no right to it. */
  get isRight(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

/** The platform does not accept the key, or not any more: most often, its limit ran out. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused';
}

/** Speaks to a platform with a key. @throws {KeyRefused} from whatever is asked. */
export function direct(url: string, key: string): Direct {
  const ask = async (operation: string, sent: { readonly body?: string } = {}, query = ''): Promise<Response> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/${operation}${query}`, {
      method: sent.body === undefined ? 'GET' : 'POST',
      headers,
      ...sent,
    });
    if (answer.status !== 401) return answer;
    const { message, code } = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as { readonly message?: unknown; readonly code?: unknown };
    // A missing right has a sentence, or a code and the word of a rejected key: then user.get is accepted.
    const isRefused =
      String(message).toLowerCase() === 'unauthorized' && (code === undefined || !(await isAccepted(headers)));
    if (isRefused) throw new KeyRefused(`${operation}: the key was not accepted`);
    return answer;
  };
  const isAccepted = async (headers: Record<string, string>): Promise<boolean> =>
    (await fetch(`${url}/api/user.get`, { headers })).ok;
  const read = async (answer: Response): Promise<unknown> => {
    const text = await answer.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  return {
    get: async (operation, input = {}) => {
      const query = new URLSearchParams(input).toString();
      const answer = await ask(operation, {}, query === '' ? '' : `?${query}`);
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new Refused(operation, answer.status);
      return read(answer);
    },
    post: async (operation, input) => {
      const answer = await ask(operation, { body: JSON.stringify(input) });
      if (!answer.ok) throw new Refused(operation, answer.status);
      return read(answer);
    },
  };
}

/** The rows of a list; none where it is no list. */
export function rowsIn(list: unknown): Row[] {
  return Array.isArray(list) ? list.filter((item): item is Row => typeof item === 'object' && item !== null) : [];
}

/** A text in a row; empty where there is none. */
export function textIn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}
