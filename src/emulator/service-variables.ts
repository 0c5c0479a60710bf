import { parseEnv } from 'node:util';
import type { Context } from './context.ts';
import { ApiError } from './error-answers.ts';
import { textOr, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** The variables of a service as its deployment passes them on: those of its project and environment are put in. */
export function variablesOf(store: Store, row: Row, more = ''): Readonly<Record<string, string>> {
  const environment = store.find('environment', row['environmentId']);
  const project = store.find('project', environment?.['projectId']);
  const read = (owner: Row | undefined) => parseEnv(textOr(owner, 'env')) as Record<string, string>;
  const own = parseEnv(`${more}${textOr(row, 'env')}`) as Record<string, string>;
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

/** The variables as docker gets them: as they stand, where deployments are not checked. */
export function linesFor({ store, checksDeployments }: Context, row: Row): string[] {
  return checksDeployments ? asLines(variablesOf(store, row)) : textOr(row, 'env').split('\n');
}

/** A list of `NAME=value`, as docker takes them. */
export function asLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}
