import { callerOf } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { namesIn, rowsIn } from '../machine.ts';
import { isOutOfReach } from '../reach.ts';

/** What the platform answers in place of a credential, and takes for "as it is". */
const stars = '********';

/** The credential of each provider. */
const credentials: Readonly<Record<string, string>> = {
  hashicorp: 'token',
  infisical: 'clientSecret',
  aws: 'secretAccessKey',
  doppler: 'serviceToken',
  azure: 'clientSecret',
  scaleway: 'secretKey',
};

/** The `vaultProvider` group. Nothing is read from a vault. */
export const vaultProvider: Group = {
  'vaultProvider.all'(context) {
    const rows = context.store.children('vaultProvider', 'organizationId', organizationOf(context));
    return rows.toSorted((a, b) => (textOf(a, 'name') < textOf(b, 'name') ? -1 : 1)).map(shown);
  },

  'vaultProvider.one': (context, input) => shown(find(context, input)),

  'vaultProvider.create'(context, input) {
    const organizationId = organizationOf(context);
    checkAssignments(context, input, organizationId);
    checkName(context, input, organizationId);
    const config = rowIn(input['config']);
    const own = { vaultProviderId: context.newId(), createdAt: context.now(), organizationId };
    const values = { ...pick(input, ['name', 'config', 'assignments']), ...pick(config, ['providerType']) };
    return shown(context.store.insert('vaultProvider', { ...values, ...own }));
  },

  'vaultProvider.update'(context, input) {
    const row = find(context, input);
    const config = kept(rowIn(input['config']), rowIn(row['config']));
    checkAssignments(context, input, row['organizationId']);
    checkName(context, input, row['organizationId']);
    const values = { ...pick(input, ['name', 'assignments']), config, ...pick(config, ['providerType']) };
    context.store.update('vaultProvider', row['vaultProviderId'], values);
    return shown({ ...row, ...values });
  },

  'vaultProvider.remove'(context, input) {
    context.store.remove('vaultProvider', find(context, input)['vaultProviderId']);
    return true;
  },

  'vaultProvider.testConnection'(context, input) {
    if (input['config'] === undefined && input['vaultProviderId'] === undefined)
      throw new ApiError('BAD_REQUEST', 'Provide a config or a vaultProviderId to test');
    const there = input['vaultProviderId'] === undefined ? {} : rowIn(find(context, input)['config']);
    const config = input['config'] === undefined ? there : kept(rowIn(input['config']), there);
    if (isOutOfReach(...Object.values(config))) throw new ApiError('BAD_REQUEST', 'fetch failed');
    return true;
  },
};

function organizationOf(context: Context): Json {
  return callerOf(context)['organizationId'] ?? null;
}

function find(context: Context, input: Row): Row {
  const row = context.store.find('vaultProvider', input['vaultProviderId']);
  if (row === undefined) throw notFound('Vault provider');
  if (row['organizationId'] !== organizationOf(context))
    throw new ApiError('UNAUTHORIZED', 'You are not allowed to access this vault provider');
  return row;
}

/** A row with stars in place of the credential. */
function shown(row: Row): Row {
  const config = rowIn(row['config']);
  const name = credentials[textOf(config, 'providerType')] ?? '';
  return { ...row, config: config[name] ? { ...config, [name]: stars } : config };
}

/** The config that is stored: stars stand for the credential that is there. */
function kept(config: Row, there: Row): Row {
  const name = credentials[textOf(config, 'providerType')] ?? '';
  if (config[name] !== stars) return config;
  if (config['providerType'] !== there['providerType'])
    throw new ApiError('BAD_REQUEST', 'Credentials must be re-entered when changing the provider type');
  return { ...config, [name]: there[name] ?? null };
}

function checkAssignments({ store }: Context, { assignments }: Row, organizationId: Json | undefined): void {
  for (const { projectId, environmentIds } of rowsIn(assignments)) {
    if (store.find('project', projectId)?.['organizationId'] !== organizationId)
      throw new ApiError('BAD_REQUEST', 'Assignment references a project outside this organization');
    const own = store.children('environment', 'projectId', projectId).map((row) => row['environmentId']);
    if (namesIn(environmentIds).some((id) => !own.includes(id)))
      throw new ApiError('BAD_REQUEST', 'Assignment references an environment outside the selected project');
  }
}

function checkName({ store }: Context, { name = null, vaultProviderId }: Row, organizationId: Json | undefined): void {
  const others = store.children('vaultProvider', 'organizationId', organizationId);
  if (others.some((one) => one['name'] === name && one['vaultProviderId'] !== vaultProviderId))
    throw new ApiError('CONFLICT', `A vault provider named "${String(name)}" already exists in this organization`);
}

function rowIn(value: Json | undefined): Row {
  return value as Row; // a column that holds a row
}
