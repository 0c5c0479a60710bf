import type { Kind } from '../kind/kind.ts';
import { secretTexts } from '../secrets/looks-secret.ts';
import type { Observed } from './observed.ts';

/** The passwords and keys that the platform has: an error of a database may quote the row that it refuses. */
export function rowSecrets({ objects }: Pick<Observed, 'objects'>, kinds: readonly Kind[]): string[] {
  const withSecrets = kinds.flatMap(({ identity, fields }) => {
    const names = Object.keys(fields).filter((name) => fields[name]?.secrecy === 'secret');
    return names.length === 0 ? [] : [{ id: identity.id, names }];
  });
  return [...objects.values()].flatMap(({ row }) =>
    withSecrets.flatMap(({ id, names }) =>
      row[id] === undefined ? [] : names.flatMap((name) => secretTexts(row[name])),
    ),
  );
}
