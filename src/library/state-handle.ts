import { usage } from '../diagnostics/usage.ts';
import { defined } from '../formats/json.ts';
import { schemaName } from '../manifest/settings-shape.ts';
import type { Given } from '../project/open-connection.ts';
import type { Pool } from '../state/backends/postgres-client.ts';
import { postgresStore } from '../state/backends/postgres.ts';
import { givenKey } from '../state/key-sources.ts';
import type { StateStore } from '../state/state.ts';
import { type Handle, createHandles } from './handle.ts';

/** The storage of a state, that plans and sessions open. */
export type StateLocation = Handle<'state'>;

/** A state in PostgreSQL, over connections that the caller has. */
export interface PooledState {
  /** A pool of the package `pg`. Each statement borrows a connection and returns it. */
  readonly pool: Pool;
  /** Lower case letters, digits and `_`; `trueup` by default. Its tables are made by the first session. */
  readonly schema?: string;
  /** Distinguishes the states of a schema. */
  readonly name: string;
  /** The key of the state, as TRUEUP_STATE_KEY has it. */
  readonly key: string;
}

/** A state over a pool, or a storage of the caller; `openStore` is called once per plan and per session, which closes it. */
export type StateOptions = PooledState | { readonly openStore: () => StateStore };

const handles = createHandles<'state', NonNullable<Given['openStore']>>('state');

/** Reads the content of a state, for the library itself. @throws {TypeError} when it is none of Trueup. */
export const openerOf = handles.read;

/**
 * Names the storage of a state for manifests that are not to choose it. Opens nothing yet.
 *
 * @throws {Stop} `state`, when the key is none; never with its text. `usage`, when the schema is no name.
 */
export function stateAt(options: StateOptions): StateLocation {
  if ('openStore' in options) return handles.make(options.openStore);
  const { pool, schema = 'trueup', name, key } = options;
  if (!schemaName.test(schema))
    throw usage('stateAt: schema is no name of a schema', 'Write lower case letters, digits and "_".');
  const keys = givenKey(key, 'the key given to stateAt');
  return handles.make(({ redactor, lease }) => {
    redactor.add(key.trim());
    return postgresStore({ pool, schema, name, redact: redactor.redact }, { keys, ...defined({ terms: lease }) });
  });
}
