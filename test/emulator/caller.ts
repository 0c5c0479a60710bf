import type { Send } from '../../src/api/wire.ts';
import { routeOf } from '../../src/emulator/served.ts';

/** A record in an answer: the tests say what is in it. */
export interface Answer {
  [member: string]: unknown;
  appName: string;
  mounts: Answer[];
  domains: Answer[];
  backups: Answer[];
  deployments: Answer[];
}

/** Calls operations of an emulator as a client would, with the owner's key or another. */
export function callerOf(send: Send, key = 'emulator-key') {
  return async (operation: string, input: Record<string, unknown> = {}): Promise<{ status: number; body: Answer }> => {
    const method = routeOf(operation)?.endpoint.method ?? 'GET';
    const query = new URLSearchParams(
      Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const answer = await send({
      method,
      path: `/api/${operation}${method === 'GET' ? `?${query.toString()}` : ''}`,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: method === 'POST' ? JSON.stringify(input) : undefined,
    });
    return { status: answer.status, body: (answer.body === '' ? undefined : JSON.parse(answer.body)) as Answer };
  };
}

/** The inputs with which the tests create things. */
export const inputs = {
  application: { name: 'web', environmentId: 'env_prj_1' },
  compose: {
    name: 'shop',
    environmentId: 'env_prj_1',
    sourceType: 'raw',
    composeFile: 'services: { web: { image: nginx } }',
  },
  mariadb: { name: 'db', environmentId: 'env_prj_1', databaseName: 'd', databaseUser: 'u', databasePassword: 'p' },
  postgres: { name: 'db', environmentId: 'env_prj_1', databaseName: 'd', databaseUser: 'u', databasePassword: 'p' },
  mysql: { name: 'db', environmentId: 'env_prj_1', databaseName: 'd', databaseUser: 'u', databasePassword: 'p' },
  mongo: { name: 'db', environmentId: 'env_prj_1', databaseUser: 'u', databasePassword: 'p' },
  libsql: {
    name: 'db',
    appName: 'libsql',
    environmentId: 'env_prj_1',
    description: null,
    databaseUser: 'u',
    databasePassword: 'p',
    sqldNode: 'primary',
    sqldPrimaryUrl: null,
    serverId: null,
  },
  redis: { name: 'cache', environmentId: 'env_prj_1', databasePassword: 'p' },
};

/** Waits until a condition holds, a few milliseconds at a time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 1));
}
