import { posix } from 'node:path';
import { readVariables } from './dotenv-text.ts';
import { contentOnHost } from './host-files.ts';
import { textOr, type Json, type Row, isMap, mapOf } from './json-rows.ts';
import { asLines } from './service-variables.ts';
import type { Store } from './table-store.ts';

/** The variables that the containers of a service of a compose get: from the files that it names, and its own. */
export function containerVariables(
  store: Store,
  row: Row,
  variables: Readonly<Record<string, string>>,
): (service: Row) => string[] {
  const mounts = store.children('mount', 'composeId', row['composeId']).filter(({ type }) => type === 'file');
  const contents = new Map(
    mounts.map((mount) => [posix.join('..', 'files', textOr(mount, 'filePath')), contentOnHost(store, mount) ?? '']),
  );
  const { PATH: _, HOME: _own, ...ofFile } = variables;
  const inFile = (path: string): Readonly<Record<string, string>> => {
    const plain = posix.normalize(path);
    return plain === '.env' ? ofFile : readVariables(contents.get(plain) ?? '');
  };
  return ({ env_file: files, environment }) => {
    const fromFiles = envFilesIn(files).map(({ path }) => inFile(path));
    const own = Object.entries(assignmentsIn(environment)).flatMap(([name, value]): [string, string][] => {
      // Without a value it comes from the variables of the compose; without one there is none.
      const given = value === null ? variables[name] : String(value);
      return given === undefined ? [] : [[name, given]];
    });
    return asLines(Object.assign({}, ...fromFiles, Object.fromEntries(own)) as Record<string, string>);
  };
}

/** The files that a service takes variables from. */
export function envFilesIn(files: Json | undefined): { readonly path: string; readonly isRequired: boolean }[] {
  return (Array.isArray(files) ? files : [files ?? []].flat()).map((file) => {
    const { path, required } = isMap(file) ? file : { path: file };
    return { path: String(path), isRequired: required !== false };
  });
}

/** The variables that a service itself has, in either form; null: it only names one. */
function assignmentsIn(environment: Json | undefined): Readonly<Record<string, Json>> {
  if (!Array.isArray(environment)) return mapOf(environment);
  return Object.fromEntries(
    environment.map((item) => {
      const [name = '', value] = String(item).split(/=(.*)/s);
      return [name, value ?? null];
    }),
  );
}
