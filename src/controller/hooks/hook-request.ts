/** A forge that sends webhooks; `forgejo` is Forgejo and Gitea. */
export type HookForge = 'github' | 'gitlab' | 'forgejo';

/** A request as it arrived. */
export interface HookRequest {
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** The text of a header; undefined: it is missing, empty, or there are several. */
export function headerOf({ headers }: HookRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `json`, or `form`: a field `payload` holds the JSON text. Undefined: no webhook is sent so. */
export function formOf(request: HookRequest): 'json' | 'form' | undefined {
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : undefined;
}

/** The JSON text of a webhook. */
export function jsonOf(request: HookRequest): string | Buffer {
  if (formOf(request) !== 'form') return request.body;
  return new URLSearchParams(request.body.toString('utf8')).get('payload') ?? '';
}
