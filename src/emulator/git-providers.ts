import { callerOf, callersOrganization, ownRows } from './caller.ts';
import type { Context, Group } from './context.ts';
import { DatabaseError } from './error-answers.ts';
import { isComplete, type ProviderKind, repositoriesFor } from './git-hosts.ts';
import { pick, textOr, type Json, type Row } from './json-rows.ts';
import { mayUseProvider } from './rules/provider-rules.ts';
import type { Store } from './table-store.ts';
import { rowView } from './views.ts';
import { rowsOf, type Rows } from './crud.ts';

/** Makes a provider: the record with its name and, beside it, the row of its kind; or neither. */
export function createProvider(context: Context, kind: ProviderKind, input: Row): Row {
  const { store, newId, now } = context;
  const key = `${kind}Id`;
  const id = textOr(input, key) || newId();
  if (store.find(kind, id) !== undefined) throw new DatabaseError(`insert into "${kind}"`, 'the id is taken');
  const { gitProviderId = null } = store.insert('gitProvider', {
    gitProviderId: newId(),
    name: input['name'] ?? null,
    providerType: kind,
    createdAt: now(),
    ...pick(callerOf(context), ['organizationId', 'userId']),
  });
  return store.insert(kind, { ...input, [key]: id, gitProviderId });
}

/** The operations that the providers of every kind have; `columns`: those that their list shows beside the record. */
export function providerOperations(kind: ProviderKind, columns: readonly string[]): Group {
  const { find } = providersOf(kind);
  return {
    [`${kind}.one`]: (context, input) => withRecord(context.store, find(context, input)),
    [`${kind}.${kind}Providers`]: (context) => listProviders(context, kind, columns),
    // Only the one of gitlab can be asked for groups.
    [`${kind}.testConnection`](context, input) {
      const found = repositoriesFor(kind, find(context, input), textOr(input, 'groupName'));
      return `Found ${found.length} repositories`;
    },
  };
}

/** The rows of a kind of providers. */
export function providersOf(kind: ProviderKind): Rows {
  return rowsOf(kind, `${titles[kind]} Provider`);
}

/** A provider with its record, and all its secrets in clear. */
function withRecord(store: Store, row: Row): Row {
  return { ...row, gitProvider: rowView(store, 'gitProvider', row['gitProviderId']) };
}

/** The complete providers of one kind that the caller may use: the named columns and the record. */
function listProviders(context: Context, kind: ProviderKind, columns: readonly string[]): Row[] {
  const { store } = context;
  return usableRecords(context)
    .flatMap((record) => store.children(kind, 'gitProviderId', record['gitProviderId']))
    .filter((row) => isComplete(kind, row))
    .map((row) => pick(withRecord(store, row), [...columns, 'gitProvider']));
}

/** The records of the caller's organization that he may use. */
export function usableRecords(context: Context): Row[] {
  return ownRows(context, 'gitProvider').filter((record) => mayUseProvider(context, record));
}

/**
 * Writes the name to the record of the input, with any owner, and then ties the row to that record.
 * Undefined where there is no such row; the record has its new name all the same.
 */
export function updateProvider(context: Context, kind: ProviderKind, input: Row): Row | undefined {
  renameRecord(context, input, input['gitProviderId']);
  return context.store.update(kind, input[`${kind}Id`], input);
}

/** Gives a record the name from an input, and the organization of the caller's key. */
export function renameRecord(context: Context, { name = null }: Row, gitProviderId: Json | undefined): void {
  context.store.update('gitProvider', gitProviderId, { name, organizationId: callersOrganization(context) });
}

const titles = { gitea: 'Gitea', github: 'Github', gitlab: 'Gitlab', bitbucket: 'Bitbucket' } as const;
