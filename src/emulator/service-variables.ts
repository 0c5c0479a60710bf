import { readVariables } from './dotenv-text.ts';
import type { Context } from './context.ts';
import { ApiError } from './error-answers.ts';
import { textOr, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** The variables of a service as its deployment passes them on: those of its project and environment are put in. */
export function variablesOf(store: Store, row: Row, more = ''): Readonly<Record<string, string>> {
  const environment = store.find('environment', row['environmentId']);
  const project = store.find('project', environment?.['projectId']);
  const read = (owner: Row | undefined) => readVariables(textOr(owner, 'env'));
  const own = readVariables(`${more}${textOr(row, 'env')}`);
  const scopes = [
    { form: /\$\{\{project\.(.*?)\}\}/g, name: 'project environment', prefix: 'project.', values: read(project) },
    { form: /\$\{\{environment\.(.*?)\}\}/g, name: 'environment', prefix: 'environment.', values: read(environment) },
    { form: /\$\{\{(.*?)\}\}/g, name: 'service environment', prefix: '', values: own },
  ];
  const resolve = (value: string): string =>
    scopes.reduce((text, { form, name, prefix, values }) => {
      return text.replaceAll(form, (_, key: string) => {
        if (Object.hasOwn(values, key)) return values[key] ?? '';
        throw new ApiError('INTERNAL_SERVER_ERROR', `Invalid ${name} variable: ${prefix}${key}`);
      });
    }, value);
  checkVaults([own, ...scopes.map(({ values }) => values)]);
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, resolve(value)]));
}

/** No vault is connected to the emulator. */
function checkVaults(all: readonly Readonly<Record<string, string>>[]): void {
  for (const value of all.flatMap(Object.values<string>)) {
    const vault = /\$\{\{vault\.([\w-]+)\.[^}]+\}\}/.exec(value)?.[1];
    if (vault !== undefined) throw new ApiError('INTERNAL_SERVER_ERROR', `Vault provider "${vault}" not found`);
  }
}

/** The variables of an application or a database, as docker gets them. */
export function linesFor({ store }: Context, row: Row): string[] {
  return asLines(variablesOf(store, row));
}

/** A list of `NAME=value`, as docker takes them. */
export function asLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}
