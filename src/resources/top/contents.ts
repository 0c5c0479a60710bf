import type { Row } from '../../kind/json.ts';
import { isRow } from '../../kind/json.ts';

/** An object inside a project, as the row of the project shows it. */
export interface Content {
  readonly id: string;
  /** For people: `compose shop in production`. */
  readonly what: string;
}

/** Everything in the row of a project but the environment that it came with: environments, and services of every sort. */
export function contentsOf({ environments }: Row): readonly Content[] {
  return rowsIn(environments).flatMap((environment) => {
    const name = String(environment['name']);
    const own = { id: String(environment['environmentId']), what: `environment ${name}` };
    const services = servicesIn(environment).map(([list, row]) => ({
      id: idIn(row),
      what: `${whatIs(list, row)} in ${name}`,
    }));
    return environment['isDefault'] === true ? services : [own, ...services];
  });
}

/** The number of services in the row of a project, which a list of projects has too. */
export function countServices({ environments }: Row): number {
  return rowsIn(environments).reduce((sum, environment) => sum + servicesIn(environment).length, 0);
}

/** The rows of services in the row of an environment, with the member that lists them. */
function servicesIn(environment: Row): (readonly [list: string, row: Row])[] {
  return Object.entries(environment).flatMap(([list, rows]) => rowsIn(rows).map((row) => [list, row] as const));
}

/** The id of a service: the member that ends so, and names no other object. */
function idIn(row: Row): string {
  const name = Object.keys(row).find((one) => one.endsWith('Id') && one !== 'serverId' && one !== 'environmentId');
  return String(row[name ?? ''] ?? '');
}

function whatIs(list: string, { name }: Row): string {
  const kind = list.replace(/s$/, '');
  return typeof name === 'string' ? `${kind} ${name}` : kind;
}

function rowsIn(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter((one: unknown) => isRow(one)) : [];
}
