import { callersOrganization, ownRows } from './caller.ts';
import type { Context, Group } from './context.ts';
import { ApiError } from './error-answers.ts';
import { pick, textOf, type Json, type Row } from './json-rows.ts';
import { isOutOfReach } from './reach.ts';
import { rowsOf } from './crud.ts';

/** Services outside of the platform, with the credentials that open them. */
interface MaskedProviders {
  /** Their table, which has a `config`, and their group. */
  readonly table: 'vaultProvider' | 'dnsProvider';
  /** What messages call one. */
  readonly thing: string;
  /** The member of `config` that is the credential, by the type of provider. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Members of a row beside its name and `config`. */
  readonly also: readonly string[];
  /** Refuses an input by throwing. */
  readonly check: (context: Context, input: Row, organizationId: Json) => void;
}

/** What the platform answers in place of a credential, and takes for "as it is". */
const stars = '********';

/** The operations of a group of providers. Answers have stars in place of a credential; nothing outside is ever asked. */
export function maskedProviders({ table, thing, credentials, also, check }: MaskedProviders): Group {
  const id = `${table}Id`;
  const { find: findAny, add } = rowsOf(table, thing.charAt(0).toUpperCase() + thing.slice(1));
  const credentialOf = (config: Row) => credentials[textOf(config, 'providerType')] ?? '';

  const shown = (row: Row): Row => {
    const config = rowIn(row['config']);
    const name = credentialOf(config);
    return { ...row, config: config[name] ? { ...config, [name]: stars } : config };
  };

  /** The config that is stored: stars stand for the credential that is there. */
  const kept = (config: Row, there: Row): Row => {
    const name = credentialOf(config);
    if (config[name] !== stars) return config;
    if (config['providerType'] !== there['providerType'])
      throw new ApiError('BAD_REQUEST', 'Credentials must be re-entered when changing the provider type');
    return { ...config, [name]: there[name] ?? null };
  };

  const find = (context: Context, input: Row): Row => {
    const row = findAny(context, input);
    if (row['organizationId'] !== callersOrganization(context))
      throw new ApiError('UNAUTHORIZED', `You are not allowed to access this ${thing}`);
    return row;
  };

  const checkAll = (context: Context, input: Row, organizationId: Json) => {
    check(context, input, organizationId);
    const others = context.store.children(table, 'organizationId', organizationId);
    if (others.some((one) => one['name'] === input['name'] && one[id] !== input[id]))
      throw new ApiError('CONFLICT', `A ${thing} named "${textOf(input, 'name')}" already exists in this organization`);
  };

  return {
    [`${table}.all`](context) {
      return ownRows(context, table)
        .toSorted((a, b) => (textOf(a, 'name') < textOf(b, 'name') ? -1 : 1))
        .map(shown);
    },

    [`${table}.one`]: (context, input) => shown(find(context, input)),

    [`${table}.create`](context, input) {
      checkAll(context, input, callersOrganization(context));
      const values = { ...pick(input, ['name', 'config', ...also]), ...pick(rowIn(input['config']), ['providerType']) };
      return shown(add(context, values));
    },

    [`${table}.update`](context, input) {
      const row = find(context, input);
      const config = kept(rowIn(input['config']), rowIn(row['config']));
      checkAll(context, input, row['organizationId'] ?? null);
      const values = { ...pick(input, ['name', ...also]), config, ...pick(config, ['providerType']) };
      context.store.update(table, row[id], values);
      return shown({ ...row, ...values });
    },

    [`${table}.remove`](context, input) {
      context.store.remove(table, find(context, input)[id]);
      return true;
    },

    [`${table}.testConnection`](context, input) {
      if (input['config'] === undefined && input[id] === undefined)
        throw new ApiError('BAD_REQUEST', `Provide a config or a ${id} to test`);
      const there = input[id] === undefined ? {} : rowIn(find(context, input)['config']);
      const config = input['config'] === undefined ? there : kept(rowIn(input['config']), there);
      if (isOutOfReach(...Object.values(config))) throw new ApiError('BAD_REQUEST', 'fetch failed');
      return true;
    },
  };
}

function rowIn(value: Json | undefined): Row {
  return value as Row; // a column that holds a row
}
