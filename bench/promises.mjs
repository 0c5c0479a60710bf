// What an apply takes that keeps the promises of Trueup, and does nothing else, for comparison. It reads the manifest with the
// places of its values, shows what it is about to do, notes each write on disk before it is sent and after its answer, reads back
// in batches what it wrote, compares each value, and keeps a state that proves who wrote it. Unlike Trueup it knows nothing but
// the manifests of the benchmark, checks no form, hides no secret, takes no lock, waits for nobody, and a failure ends it.
//
// Arguments: address, API key, command, connections, folder. It prints the requests that it made, as Trueup does.
import { createHmac } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import isEqual from 'fast-deep-equal';
import { LineCounter, parseDocument } from 'yaml';
import { connect } from './connect.mjs';

const [url = '', apiKey = '', command = '', connections = '', folder = ''] = process.argv.slice(2);
const { get, read, write, end } = connect({ url, apiKey, connections: Number(connections) });
const itemsOfBatch = 40;

/** The rows of services, together. */
async function readServices(services) {
  const input = services.map(({ id, made }, at) => [at, { json: { [id]: made } }]);
  const query = encodeURIComponent(JSON.stringify(Object.fromEntries(input)));
  const items = await get(`/api/trpc/${services.map(({ one }) => one).join(',')}?batch=1&input=${query}`);
  return items.map(({ result }) => result.data.json);
}

// --- The manifest

/** The environments of all files. Their trees have gone when it returns. */
function readEnvironments() {
  const found = {};
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.yaml'))) {
    const lineCounter = new LineCounter();
    const document = parseDocument(readFileSync(join(folder, name), 'utf8'), { lineCounter });
    Object.assign(found, document.toJS().environments);
  }
  return found;
}

const envText = (env) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** What an update sends behind the create, which does not take it. */
const updated = (operation, id, body) => (Object.keys(body).length === 0 ? undefined : { operation, id, body });

function environmentOf(name, env) {
  return {
    address: name,
    create: 'environment.create',
    id: 'environmentId',
    body: { projectId: 'prj_1', name },
    update: updated('environment.update', 'environmentId', env === undefined ? {} : { env: envText(env) }),
    services: [],
    below: [],
  };
}

function databaseOf(name, { mounts, backups, memoryLimit, ...own }, parent) {
  const address = `${parent.address}.postgres.${name}`;
  const [id, one] = ['postgresId', 'postgres.one'];
  const update = updated('postgres.update', id, memoryLimit === undefined ? {} : { memoryLimit });
  const removal = { operation: 'postgres.remove', more: {} };
  const below = [
    ...Object.entries(mounts).map(([mountPath, body]) => ({
      address: `${address}.mounts["${mountPath}"]`,
      create: 'mounts.create',
      id: 'mountId',
      list: 'mounts',
      link: (serviceId) => ({ serviceId, serviceType: 'postgres' }),
      body: { mountPath, ...body },
    })),
    ...Object.entries(backups).map(([key, body]) => ({
      address: `${address}.backups.${key}`,
      create: 'backup.create',
      id: 'backupId',
      list: 'backups',
      link: (postgresId) => ({ postgresId, databaseType: 'postgres' }),
      body: { database: own.databaseName, enabled: true, ...body },
    })),
  ];
  return { address, create: 'postgres.create', one, id, body: { name, ...own }, update, removal, parent, below };
}

function stackOf(name, { source, domains, files, description, env }, parent) {
  const address = `${parent.address}.compose.${name}`;
  const [id, one] = ['composeId', 'compose.one'];
  const body = { name, composeType: 'docker-compose', composeFile: source.composeFile };
  if (description !== undefined) body.description = description;
  const update = updated('compose.update', id, env === undefined ? {} : { env: envText(env) });
  const removal = { operation: 'compose.delete', more: { deleteVolumes: false } };
  const below = [
    ...Object.entries(domains).map(([host, domain]) => ({
      address: `${address}.domains["${host}"]`,
      create: 'domain.create',
      id: 'domainId',
      list: 'domains',
      link: (composeId) => ({ composeId, domainType: 'compose' }),
      body: { host, certificateType: 'none', ...domain },
    })),
    ...Object.entries(files).map(([filePath, { content }]) => ({
      address: `${address}.files["${filePath}"]`,
      create: 'mounts.create',
      id: 'mountId',
      list: 'mounts',
      link: (serviceId) => ({ serviceId, serviceType: 'compose' }),
      body: { type: 'file', filePath, content, mountPath: `/${filePath}` },
    })),
  ];
  return { address, create: 'compose.create', one, id, body, update, removal, parent, below };
}

const environments = Object.entries(readEnvironments()).map(([name, { env, postgres = {}, compose = {} }]) => {
  const environment = environmentOf(name, env);
  for (const [key, block] of Object.entries(postgres)) environment.services.push(databaseOf(key, block, environment));
  for (const [key, block] of Object.entries(compose)) environment.services.push(stackOf(key, block, environment));
  return environment;
});
const services = environments.flatMap((environment) => environment.services);
const withBelow = (service) => [service, ...service.below];
const objects = [...environments, ...services.flatMap(withBelow)];

// --- The state and its journal

const stateFile = join(folder, 'promises.json');
const planFile = join(folder, 'promises.plan');
const proof = (text) => createHmac('sha256', 'key of the state').update(text).digest('base64');
const records = new Map();
/** What is kept of an object: its id, and a digest of each value, which may be a secret. */
const recordOf = ({ made, body }) => ({
  id: made,
  digests: Object.fromEntries(Object.entries(body).map(([name, value]) => [name, proof(JSON.stringify(value))])),
});

async function save() {
  const sorted = [...records].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  await writeDurably(stateFile, `{"proof":"${proof(text)}","state":${text}}`);
}

async function writeDurably(path, text) {
  const file = await open(`${path}.tmp`, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(`${path}.tmp`, path);
}

function load() {
  const { proof: kept, state } = JSON.parse(readFileSync(stateFile, 'utf8'));
  if (proof(JSON.stringify(state)) !== kept) throw new Error('the state was changed');
  for (const [address, record] of Object.entries(state)) records.set(address, record);
  for (const object of objects) object.made = records.get(object.address)?.id;
}

const journal = {
  file: undefined,
  proof: '',
  lines: [],
  /** The wave that takes what comes now, until it begins. */
  next: /** @type {Promise<void> | undefined} */ (undefined),
  running: Promise.resolve(),
};

/** Notes something durably: what comes while a wave is written goes into the next one. */
function note(entry) {
  const text = JSON.stringify(entry);
  journal.proof = proof(journal.proof + text);
  journal.lines.push(`${journal.proof} ${text}\n`);
  journal.next ??= journal.running = journal.running.then(async () => {
    const text = journal.lines.splice(0).join('');
    journal.next = undefined;
    await journal.file.appendFile(text);
    await journal.file.datasync();
  });
  return journal.next;
}

// --- The commands

const sent = (verb, { address }) => process.stdout.write(`${address}: ${verb}\n`);

function show(sign, all) {
  const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
  for (const { address, body } of all) {
    const fields = Object.entries(body).map(([name, value]) => `    ${name}: ${textOf(value)}\n`);
    process.stdout.write(`${sign} ${address}\n${fields.join('')}`);
  }
}

async function create(object, link) {
  const { address, update } = object;
  await note({ address, announced: object.create });
  const made = await write(object.create, { ...object.body, ...link });
  object.made = made?.[object.id];
  if (update !== undefined) await write(update.operation, { [update.id]: object.made, ...update.body });
  records.set(address, recordOf(object));
  sent('created', object);
}

/** The row of an object below a service: by its id, or by what it is where its create answered none. */
function rowOf({ made, id, body }, rows) {
  const isIt = (row) => Object.entries(body).every(([name, value]) => isEqual(row[name], value));
  return rows.find((row) => (made === undefined ? isIt(row) : row[id] === made));
}

/** What differs, by address. An object whose id was not known gets it. */
function compare(service, answered) {
  const differences = [];
  const each = (object, row) => {
    if (row === undefined) throw new Error(`${object.address} is not there`);
    object.made ??= row[object.id];
    for (const [name, value] of Object.entries(object.body))
      if (!isEqual(row[name], value)) differences.push({ object, name, found: row[name] });
    return row;
  };
  each(service, answered);
  for (const object of service.below) each(object, rowOf(object, answered[object.list]));
  return differences;
}

async function readBack(some) {
  const rows = await readServices(some);
  for (const [at, service] of some.entries()) compare(service, rows[at]);
  for (const object of some.flatMap(withBelow)) records.set(object.address, recordOf(object));
  await Promise.all(some.flatMap(withBelow).map(({ address }) => note({ address, ...records.get(address) })));
}

/** Reads back as soon as a batch is full; the last one at once. */
function backReader() {
  const waiting = [];
  return {
    done(service) {
      waiting.push(service);
      return waiting.length < itemsOfBatch ? undefined : readBack(waiting.splice(0));
    },
    end: () => (waiting.length === 0 ? undefined : readBack(waiting.splice(0))),
  };
}

/** What differs on the platform. */
async function differences() {
  load();
  const whoAndWhere = [read('user.get', {}), read('environment.byProjectId', { projectId: 'prj_1' })];
  const batches = [];
  for (let at = 0; at < services.length; at += itemsOfBatch) batches.push(services.slice(at, at + itemsOfBatch));
  const found = batches.map(async (batch) => {
    const rows = await readServices(batch);
    return batch.flatMap((service, at) => compare(service, rows[at]));
  });
  await Promise.all(whoAndWhere);
  return (await Promise.all(found)).flat();
}

const descriptionsIn = (found) => found.filter(({ name }) => name === 'description');

/** Gives services the descriptions of the manifest. */
async function describe(some) {
  await withJournal(async () => {
    const back = backReader();
    const send = async (object) => {
      await note({ address: object.address, announced: 'update' });
      const operation = object.create.replace('create', 'update');
      await write(operation, { [object.id]: object.made, description: object.body.description });
      sent('updated', object);
      await back.done(object);
    };
    await readServices(some); // as it is right before the write
    await Promise.all(some.map(send));
    await back.end();
  });
}

async function withJournal(run) {
  await save();
  journal.file = await open(join(folder, 'promises.journal'), 'w', 0o600);
  await run();
  await save();
  await journal.file.close();
}

const commands = {
  async apply() {
    await Promise.all([read('user.get', {}), read('environment.byProjectId', { projectId: 'prj_1' })]);
    show('+', objects);
    await withJournal(async () => {
      const back = backReader();
      const make = async (service) => {
        await create(service, { environmentId: service.parent.made });
        await Promise.all(service.below.map((object) => create(object, object.link(service.made))));
        await back.done(service);
      };
      await Promise.all(environments.map((environment) => create(environment, {})));
      await Promise.all(services.map(make));
      await back.end();
    });
  },

  async plan() {
    const found = await differences();
    process.stdout.write(`${found.length} differences in ${objects.length} objects\n`);
  },

  /** Of what differs, the descriptions of services. */
  async edit() {
    const found = descriptionsIn(await differences());
    for (const { object, found: old } of found) process.stdout.write(`~ ${object.address}: ${old}\n`);
    await describe(found.map(({ object }) => object));
  },

  /** Saves a plan of them. */
  async save() {
    const plan = JSON.stringify(descriptionsIn(await differences()).map(({ object }) => object.address));
    await writeDurably(planFile, `{"proof":"${proof(plan)}","plan":${plan}}`);
  },

  /** Applies the saved plan: reads what it touches, and nothing else. */
  async saved() {
    const { proof: kept, plan } = JSON.parse(readFileSync(planFile, 'utf8'));
    if (proof(JSON.stringify(plan)) !== kept) throw new Error('the plan was changed');
    load();
    const touched = new Set(plan);
    await Promise.all([read('user.get', {}), read('environment.byProjectId', { projectId: 'prj_1' })]);
    await describe(services.filter(({ address }) => touched.has(address)));
  },

  async destroy() {
    await differences();
    show('-', objects);
    await withJournal(async () => {
      const remove = async (object, { operation, more }) => {
        await note({ address: object.address, announced: operation });
        await write(operation, { [object.id]: object.made, ...more });
        for (const one of [object, ...object.below]) records.delete(one.address);
        await Promise.all([object, ...object.below].map(({ address }) => note({ address, gone: true })));
        sent('deleted', object);
      };
      await Promise.all(services.map((service) => remove(service, service.removal)));
      await Promise.all(
        environments.map(async (environment) => {
          const { postgres, compose } = await read('environment.one', { environmentId: environment.made });
          if (postgres.length + compose.length > 0) throw new Error(`${environment.address} is not empty`);
          await remove(environment, { operation: 'environment.remove', more: {} });
        }),
      );
    });
  },
};

await commands[command]();
await end();
