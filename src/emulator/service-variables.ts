import { readVariables } from './dotenv-text.ts';
import type { Context } from './context.ts';
import { failed } from './error-answers.ts';
import { namesIn, rowsIn, textOr, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** The variables of a service as its deployment passes them on: those of its project and environment are put in. */
export function variablesOf(store: Store, row: Row, more = ''): Readonly<Record<string, string>> {
  const environment = store.find('environment', row['environmentId']);
  const project = store.find('project', environment?.['projectId']);
  const read = (text: string) => readVariables(withVaults(store, { project, environment }, text));
  const own = read(`${more}${textOr(row, 'env')}`);
  const scopes = [
    {
      form: /\$\{\{project\.(.*?)\}\}/g,
      name: 'project environment',
      prefix: 'project.',
      values: read(textOr(project, 'env')),
    },
    {
      form: /\$\{\{environment\.(.*?)\}\}/g,
      name: 'environment',
      prefix: 'environment.',
      values: read(textOr(environment, 'env')),
    },
    { form: /\$\{\{(.*?)\}\}/g, name: 'service environment', prefix: '', values: own },
  ];
  const resolve = (value: string): string =>
    scopes.reduce((text, { form, name, prefix, values }) => {
      return text.replaceAll(form, (_, key: string) => {
        if (Object.hasOwn(values, key)) return values[key] ?? '';
        throw failed(`Invalid ${name} variable: ${prefix}${key}`);
      });
    }, value);
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, resolve(value)]));
}

/** A text with the secrets of vaults: any secret is there, in a vault that the project and the environment may use. */
function withVaults(store: Store, { project, environment }: Scope, text: string): string {
  const providers = store.children('vaultProvider', 'organizationId', project?.['organizationId']);
  const filled = text.replaceAll(/\$\{\{vault\.([\w-]+)\.([^}]+)\}\}/g, (_, name: string, secret: string) => {
    const provider = providers.find((one) => one['name'] === name);
    if (provider === undefined) throw failed(`Vault provider "${name}" not found`);
    const isAssigned = rowsIn(provider['assignments']).some(({ projectId, environmentIds }) => {
      const only = namesIn(environmentIds);
      const isOpen = only.length === 0 || only.includes(String(environment?.['environmentId']));
      return projectId === project?.['projectId'] && isOpen;
    });
    if (!isAssigned) throw failed(`Vault provider "${name}" is not enabled for this project/environment`);
    return `${secret} of ${name}`;
  });
  if (filled.includes('${{vault.')) throw failed('Unresolved vault reference');
  return filled;
}

/** What a service stands below. */
interface Scope {
  readonly project: Row | undefined;
  readonly environment: Row | undefined;
}

/** The variables of an application or a database, as docker gets them. */
export function variableLines({ store }: Context, row: Row): string[] {
  return asLines(variablesOf(store, row));
}

/** A list of `NAME=value`, as docker takes them. */
export function asLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}
