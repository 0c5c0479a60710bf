import { type Row, isRow } from '../../formats/json.ts';

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
    const services = servicesIn(environment).map((row) => {
      const { id, kind } = identityOf(row);
      return { id, what: `${typeof row['name'] === 'string' ? `${kind} ${row['name']}` : kind} in ${name}` };
    });
    return environment['isDefault'] === true ? services : [own, ...services];
  });
}

/** The number of services in the row of a project, which a list of projects has too. */
export function countServices({ environments }: Row): number {
  return rowsIn(environments).reduce((sum, environment) => sum + servicesIn(environment).length, 0);
}

/** The rows of services in the row of an environment. */
function servicesIn(environment: Row): readonly Row[] {
  return Object.values(environment).flatMap((rows) => rowsIn(rows));
}

/** The id and the kind of a service, by the member that ends in Id and names no other object: `redisId`. */
function identityOf(row: Row): { readonly id: string; readonly kind: string } {
  const name = Object.keys(row).find((one) => one.endsWith('Id') && one !== 'serverId' && one !== 'environmentId');
  return name === undefined ? { id: '', kind: 'service' } : { id: String(row[name]), kind: name.slice(0, -2) };
}

function rowsIn(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter((one: unknown) => isRow(one)) : [];
}
