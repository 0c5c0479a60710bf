// A bare client, for comparison: it makes the reads and the writes that the manifest of the benchmark needs, as fast as its
// connections allow, and nothing else. It checks nothing, records nothing, and a failure ends it.
//
// Arguments: address, API key, command, connections, services. It prints the requests that it made, as Trueup does.
import { connect } from './connect.mjs';

const [url = '', apiKey = '', command = '', connections = '', services = ''] = process.argv.slice(2);
const { read, write, end } = connect({ url, apiKey, connections: Number(connections) });

const numbers = Array.from({ length: Number(services) }, (_, n) => n);
/** As in the manifest: ten environments, and in each of them databases and stacks in turn. */
const isDatabase = (n) => Math.floor(n / 10) % 2 === 0;
const isOurs = ({ name }) => /^env\d$/.test(name);
const environments = async () => (await read('environment.byProjectId', { projectId: 'prj_1' })).filter(isOurs);

const commands = {
  async plan(then = () => undefined) {
    const [, listed] = await Promise.all([read('user.get', {}), environments()]);
    await Promise.all(
      listed.map(async ({ environmentId }) => {
        const { postgres, compose } = await read('environment.one', { environmentId });
        await Promise.all([
          ...postgres.map(async ({ postgresId }) => then(await read('postgres.one', { postgresId }))),
          ...compose.map(async ({ composeId }) => then(await read('compose.one', { composeId }))),
        ]);
      }),
    );
  },

  async apply() {
    const ids = await Promise.all(
      numbers.slice(0, 10).map(async (n) => {
        const { environmentId } = await write('environment.create', { projectId: 'prj_1', name: `env${n}` });
        return environmentId;
      }),
    );
    await Promise.all(numbers.map((n) => (isDatabase(n) ? makeDatabase(n, ids[n % 10]) : makeStack(n, ids[n % 10]))));
  },

  /** Reads everything, and gives one service in 33 another description. */
  async edit() {
    await commands.plan(({ name, ...row }) =>
      Number(name.replace(/^\D+/, '')) % 33 === 0
        ? row.postgresId === undefined
          ? write('compose.update', { composeId: row.composeId, description: 'new' })
          : write('postgres.update', { postgresId: row.postgresId, description: 'new' })
        : undefined,
    );
  },

  /** What is below a service goes with it. The platform goes on running backups of what is gone: nothing here stops them. */
  async destroy() {
    const listed = await environments();
    await Promise.all(
      listed.map(async ({ environmentId }) => {
        const { postgres, compose } = await read('environment.one', { environmentId });
        await Promise.all([
          ...postgres.map(async ({ postgresId }) => write('postgres.remove', { postgresId })),
          ...compose.map(({ composeId }) => write('compose.delete', { composeId, deleteVolumes: false })),
        ]);
        await write('environment.remove', { environmentId });
      }),
    );
  },
};

async function makeDatabase(n, environmentId) {
  const { postgresId } = await write('postgres.create', {
    name: `db${n}`,
    environmentId,
    databaseName: `db${n}`,
    databaseUser: 'owner',
    databasePassword: `password-${n}`,
    dockerImage: 'postgres:17',
    description: 'old',
  });
  await Promise.all([
    write('mounts.create', {
      serviceId: postgresId,
      serviceType: 'postgres',
      type: 'volume',
      volumeName: 'extra',
      mountPath: '/extra',
    }),
    write('backup.create', {
      postgresId,
      databaseType: 'postgres',
      database: `db${n}`,
      enabled: true,
      schedule: '0 3 * * *',
      destinationId: 'dst_1',
      prefix: `n/${n}`,
    }),
  ]);
}

async function makeStack(n, environmentId) {
  const { composeId } = await write('compose.create', {
    name: `app${n}`,
    environmentId,
    composeType: 'docker-compose',
    composeFile: 'services:\n  web:\n    image: nginx:1.27\n    volumes: ["../files/app.conf:/etc/app.conf"]\n',
    description: 'old',
  });
  await Promise.all([
    write('domain.create', {
      composeId,
      domainType: 'compose',
      host: `app${n}.example.com`,
      serviceName: 'web',
      port: 8080,
      certificateType: 'none',
    }),
    write('mounts.create', {
      serviceId: composeId,
      serviceType: 'compose',
      type: 'file',
      filePath: 'app.conf',
      content: 'a = 1',
      mountPath: '/app.conf',
    }),
  ]);
}

await commands[command]();
await end();
