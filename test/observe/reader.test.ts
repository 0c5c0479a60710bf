import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Client, ReadClient } from '../../src/api/client.ts';
import { remembering } from '../../src/api/remembering.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import { createReader } from '../../src/observe/reader.ts';
import { batching, bulkClient, planned } from '../support/bulk.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

/** Bulk reads as a plan uses them; test/scenarios/bulk-reads.test.ts has every fault and random worlds. */

const text = `${head}environments:
  production:
    env: { REGION: eu }
    compose:
${['a', 'b', 'c', 'd'].map((name) => `      ${name}: { ${composeBody} }\n`).join('')}`;

async function applied() {
  const made = bench();
  await made.apply(text);
  return { made, emulator: batching(made) };
}

test('a plan reads lists and rows together where the platform takes that, and is the same', async () => {
  const { made, emulator } = await applied();
  const alone = await planned(made, text, bulkClient(made, emulator.send, { bulk: false }).client);
  expect(emulator.log.splice(0)).toHaveLength(7);
  const { client, off } = bulkClient(made, emulator.send);
  expect(await planned(made, text, client)).toBe(alone);
  expect(emulator.log.map(({ operation, input }) => [operation, input])).toEqual([
    ['environment.byProjectId', { projectId: 'prj_1' }],
    ['trpc', { operations: ['user.get', 'environment.byProjectId'] }],
    ['environment.one', expect.anything()],
    ['trpc', { operations: ['compose.one', 'compose.one', 'compose.one', 'compose.one'] }],
  ]);
  expect(off).toEqual([]);
});

test('a second look is a request of its own: a batch that lacks an object twice proves nothing', async () => {
  const { made, emulator } = await applied();
  const [row] = Object.values(made.emulator.world.tables.compose);
  await made.emulator.act('compose.delete', { composeId: row?.['composeId'] ?? '', deleteVolumes: false });
  const alone = await planned(made, text, bulkClient(made, emulator.send, { bulk: false }).client);
  expect(alone).toContain('"hasChanges": true');
  emulator.log.splice(0);
  expect(await planned(made, text, bulkClient(made, emulator.send).client)).toBe(alone);
  const reads = emulator.log.filter(({ operation }) => operation === 'compose.one');
  expect(reads.map(({ status }) => status)).toEqual([404, 404]);
});

test.each(['after: { hide: all }', 'after: { items: shuffled }', 'before: { answer: 404 }', 'after: drop'])(
  'a plan is the same when batches fail: %s',
  async (fault) => {
    const { made, emulator } = await applied();
    const alone = await planned(made, text, bulkClient(made, emulator.send, { bulk: false }).client);
    const faults = createFaults(emulator, faultPlan.parse(parse(`faults: [{ on: trpc, at: 2, ${fault} }]`)));
    expect(await planned(made, text, bulkClient(made, faults.send).client)).toBe(alone);
  },
);

test('a plan is the same when a batch has the answers to lists in the wrong places, whichever it is', async () => {
  const copies = (name: string) =>
    `{ u: { volumeName: u, cronExpression: '0 5 * * *', destinationId: dst_1, prefix: ${name}/ } }`;
  const services = ['a', 'b'].map(
    (name) => `      ${name}: { source: { type: docker, image: nginx }, volumeBackups: ${copies(name)} }\n`,
  );
  const key = (name: string) =>
    `  ${name}: { publicKey: ssh-ed25519 ${name}, privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\\n${name}\\n-----END OPENSSH PRIVATE KEY-----\\n" }\n`;
  const certificate = 'certificates: { one: { certificateData: certificate, privateKey: key-3, autoRenew: false } }\n';
  const mixed = `${head}sshKeys:\n${key('k')}${certificate}environments:\n  production:\n    application:\n${services.join('')}`;
  const made = bench();
  await made.apply(mixed);
  const emulator = batching(made);
  const alone = await planned(made, mixed, bulkClient(made, emulator.send, { bulk: false }).client);
  expect(alone).toContain('"hasChanges": false');
  emulator.log.splice(0);
  await planned(made, mixed, bulkClient(made, emulator.send).client);
  const batches = emulator.log.filter(({ operation }) => operation === 'trpc').length;
  expect(batches).toBeGreaterThan(1);
  for (let at = 1; at <= batches; at++) {
    const faults = createFaults(
      emulator,
      faultPlan.parse(parse(`faults: [{ on: trpc, at: ${at}, after: { items: shuffled } }]`)),
    );
    expect(await planned(made, mixed, bulkClient(made, faults.send).client), `batch ${at}`).toBe(alone);
  }
});

test('what a batch answers in a form that the read cannot have is read alone, and refused only if that answers so too', async () => {
  const caller = { userId: 'user_1', organizationId: 'org_1' };
  const reads: string[] = [];
  const client = (alone: unknown): ReadClient => ({
    ...bulkClient(bench(), () => Promise.reject(new Error('nothing is sent'))).client,
    invoke: (operation, _input, { inBulk = false } = {}) => {
      reads.push(`${inBulk ? 'together' : 'alone'}: ${operation}`);
      return Promise.resolve(inBulk ? [caller] : alone);
    },
  });
  expect(await createReader(client(caller), 'in bulk').caller()).toEqual(caller);
  await expect(createReader(client([caller]), 'in bulk').caller()).rejects.toThrow('is not an object');
  expect(reads).toEqual(['together: user.get', 'alone: user.get', 'together: user.get', 'alone: user.get']);
});

test('what was read together and did not fit is read alone also where each read is sent once', async () => {
  const caller = { userId: 'user_1', organizationId: 'org_1' };
  const reads: string[] = [];
  const client: Client = {
    ...bulkClient(bench(), () => Promise.reject(new Error('nothing is sent'))).client,
    invoke: (operation, _input, { inBulk = false } = {}) => {
      reads.push(`${inBulk ? 'together' : 'alone'}: ${operation}`);
      return Promise.resolve(inBulk ? [caller] : caller);
    },
  };
  const reader = createReader(remembering(client), 'in bulk');
  expect(await Promise.all([reader.caller(), reader.caller()])).toEqual([caller, caller]);
  expect(reads).toEqual(['together: user.get', 'alone: user.get']);
});
