/** A `${ref:…}` that has been found: an output of another resource. */
export interface Reference {
  readonly address: string;
  readonly output: string;
}

/** The name of an output, for messages: `production.redis.main.host`. */
export function referenceName({ address, output }: Reference): string {
  return `${address}.${output}`;
}
