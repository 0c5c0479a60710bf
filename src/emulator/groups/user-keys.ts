import { callerOf } from '../caller.ts';
import type { Group } from '../context.ts';
import { notFound, failed } from '../error-answers.ts';
import type { Json, Row } from '../json-rows.ts';
import { hashOfKey } from '../keys.ts';
import { derive } from '../made-up-names.ts';

/** The operations of the `user` group for the caller's own API keys. */
export const userKeys: Group = {
  // The only answer with the key itself. The metadata is stored after the answer was made up.
  'user.createApiKey'(context, input) {
    const { store, newId, now } = context;
    checkKey(input);
    const { name = null, metadata, prefix, expiresIn, ...limits } = input;
    const id = newId();
    const key = `${textOrNothing(prefix)}${derive(id, 'key', 32)}${derive(id, 'key, second half', 32)}`;
    const createdAt = now();
    const row = store.insert('apiKey', {
      ...limits,
      id,
      name,
      prefix: prefix ?? null,
      start: key.slice(0, 6),
      key: hashOfKey(key),
      referenceId: callerOf(context)['userId'] ?? null,
      expiresAt: typeof expiresIn === 'number' ? later(createdAt, expiresIn) : null,
      createdAt,
      updatedAt: createdAt,
      metadata: JSON.stringify(metadata),
    });
    return { ...row, key, metadata: null };
  },

  'user.deleteApiKey'({ store }, input) {
    if (store.remove('apiKey', input['apiKeyId']) === undefined) throw notFound('API key');
    return true;
  },

  // A stub on the platform too.
  'user.generateToken': () => 'token',
};

const day = 24 * 60 * 60;

/** What the platform's library for keys refuses; the platform makes a failure of its own of it. */
function checkKey({ prefix, expiresIn, refillAmount, refillInterval }: Row): void {
  const fail = (message: string): never => {
    throw failed(message);
  };
  if (typeof prefix === 'string' && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix)) fail('Invalid prefix format');
  if (typeof expiresIn === 'number' && expiresIn < day)
    fail('The expiresIn is smaller than the predefined minimum value.');
  if (typeof expiresIn === 'number' && expiresIn > 365 * day)
    fail('The expiresIn is larger than the predefined maximum value.');
  if ((refillAmount === undefined) !== (refillInterval === undefined))
    fail('refillAmount and refillInterval are required together');
}

function later(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1000).toISOString();
}

function textOrNothing(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
