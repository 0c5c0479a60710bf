import { contract } from '../api/contract.ts';
import type { Endpoint } from '../api/endpoint.ts';
import type { Handler } from './context.ts';
import { backup } from './groups/backup.ts';
import { compose } from './groups/compose.ts';
import { domain } from './groups/domain.ts';
import { environment } from './groups/environment.ts';
import { extensions } from './groups/extensions.ts';
import { mariadb } from './groups/mariadb.ts';
import { mounts } from './groups/mounts.ts';
import { postgres } from './groups/postgres.ts';
import { redis } from './groups/redis.ts';
import { user } from './groups/user.ts';

/** The operations that are carried out; to serve a group, write its file and name it here. */
const handlers: Readonly<Record<string, Handler>> = {
  ...backup,
  ...compose,
  ...domain,
  ...environment,
  ...mariadb,
  ...mounts,
  ...postgres,
  ...redis,
  ...user,
  ...extensions.handlers,
};

/** One operation as it is called. */
export interface Route {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Undefined for an operation of the document that the emulator does not carry out yet. */
  readonly handler: Handler | undefined;
  readonly isExtension: boolean;
}

const routes = new Map<string, Route>(
  [
    ...Object.entries(contract).map(([name, endpoint]): [string, Endpoint, boolean] => [name, endpoint, false]),
    ...Object.entries(extensions.endpoints).map(([name, endpoint]): [string, Endpoint, boolean] => [
      name,
      endpoint,
      true,
    ]),
  ].map(([name, endpoint, isExtension]) => [
    name.toLowerCase(),
    { name, endpoint, isExtension, handler: handlers[name] },
  ]),
);

/** The route of an operation; the platform does not care about upper and lower case. */
export function routeOf(operation: string): Route | undefined {
  return routes.get(operation.toLowerCase());
}
