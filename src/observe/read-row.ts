import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { idMember } from '../kind/wire.ts';
import { asRow } from './answers.ts';

/** Reads the whole row of an object; undefined when the platform does not have it. */
export async function readRow(client: Client, kind: Kind, id: string): Promise<Row | undefined> {
  const { read } = kind.operations;
  try {
    return asRow(await client.invoke(read, { [idMember(kind, read)]: id }), read);
  } catch (error) {
    if (error instanceof PlatformError && error.failure === 'not found') return undefined;
    throw error;
  }
}
