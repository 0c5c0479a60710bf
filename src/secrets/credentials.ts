import type { Json } from '../kind/json.ts';

const credentials = /(?<=:\/\/)[^\s/@]+(?=@)/;

/** A value whose addresses do not show who they are fetched as: `https://bot:token@…`. */
export function withoutCredentials(value: Json): Json {
  return typeof value === 'string' ? value.replace(credentials, '(sensitive)') : value;
}

/** Whether a value is an address with a user or password in it. */
export function holdsCredentials(value: Json): boolean {
  return typeof value === 'string' && value.search(credentials) !== -1;
}
