/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** The path with its query, such as `/api/compose.one?composeId=x`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body; undefined for a request without one. */
  readonly body: string | undefined;
}

/** One answer as it came over the wire, its body decoded to text. */
export interface WireAnswer {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one request and gives its answer; rejects when no answer came. */
export type Send = (request: WireRequest) => Promise<WireAnswer>;

/** Whether a header `content-encoding` names an encoding. Never throws. */
export function isCompressed(encoding = ''): boolean {
  return encoding.split(',').some((one) => !['', 'identity'].includes(one.trim().toLowerCase()));
}
