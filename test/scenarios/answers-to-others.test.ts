import { describe, expect, test } from 'vitest';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import {
  answered,
  applyOver,
  failed,
  idOf,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { type Bench, bench, head } from '../support/world.ts';

/** What apply believes behind a proxy that gives the answer to another request, or a gateway that answers 200 to everything. */

const empty = `${head}environments: { production: {} }\n`;
const redis = `${head}environments:
  production:
    redis:
      cache: { dockerImage: 'redis:8', databasePassword: password-4, deploy: never }
`;
const key = `${empty}sshKeys:
  deploy: { publicKey: "ssh-ed25519 AAAA a", privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\\nx\\n-----END OPENSSH PRIVATE KEY-----" }
`;

describe('a gateway in maintenance, which answers 200 with an object of its own', () => {
  test.each([
    ['redis', redis],
    ['ssh key', key],
  ])('does not prove that a %s was deleted', async (_, text) => {
    const made = bench();
    await made.apply(text);
    const kept = Object.keys(made.store.state?.resources ?? {});
    let isDown = false;
    const result = await applyOver(made, empty, async (request) => {
      isDown ||= /\.(delete|remove)$/.test(operationOf(request));
      return isDown ? answered('{"status":"maintenance"}') : made.emulator.send(request);
    });
    expect(result.outcomes.filter(({ action, result: end }) => action.action === 'delete' && end === 'done')).toEqual(
      [],
    );
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual(kept);
    await applyOver(made, empty, made.emulator.send);
    await plansNothing(made, empty);
  });

  test('does not prove that an environment is gone', async () => {
    const made = bench();
    const text = (description: string) => `${head}environments: { production: { description: ${description} } }\n`;
    await made.apply(text('one'));
    let isDown = false;
    const result = await applyOver(made, text('two'), async (request) => {
      isDown ||= request.method === 'POST';
      const isRead = operationOf(request) === 'environment.one';
      return isDown && isRead ? answered('{}') : made.emulator.send(request);
    });
    expect(said(result)).not.toMatch(/not on the platform any more|does not have it/);
    await made.apply(text('two'));
    await plansNothing(made, text('two'));
  });
});

describe('a poll that is answered with the row of another service', () => {
  const services = {
    application: {
      good: "{ source: { type: docker, image: 'nginx:1.27' } }",
      bad: "{ source: { type: docker, image: 'fail:1' } }",
    },
    redis: {
      good: "{ dockerImage: 'redis:8', databasePassword: password-4 }",
      bad: "{ dockerImage: 'fail:1', databasePassword: password-5 }",
    },
  } as const;
  const textOf = (section: keyof typeof services, bad: string = services[section].bad) => `${head}environments:
  production:
    ${section}:
      good: ${services[section].good}
      bad: ${bad}
`;

  /** Once the service is told to deploy, every read of it has the row of its neighbour. */
  const mixing = (made: Bench, section: keyof typeof services): Send => {
    const idIn = (name: string) => String(rowsIn(made, section).find((row) => row['name'] === name)?.[`${section}Id`]);
    let isDeployed = false;
    return async (request) => {
      const operation = operationOf(request);
      if (isDeployed && operation === `${section}.one` && request.path.includes(idIn('bad')))
        return made.emulator.send({ ...request, path: request.path.replace(idIn('bad'), idIn('good')) });
      const answer = await made.emulator.send(request);
      isDeployed ||= /\.(re)?deploy$/.test(operation) && String(request.body).includes(idIn('bad'));
      return answer;
    };
  };

  test.each(['application', 'redis'] as const)('does not prove that a deployment of %s succeeded', async (section) => {
    const made = bench();
    const result = await applyOver(made, textOf(section), mixing(made, section));
    const deployment = result.outcomes.find(
      ({ action }) => action.action === 'deploy' && action.address.includes('bad'),
    );
    expect(rowsIn(made, section).find(({ name }) => name === 'bad')?.['applicationStatus']).toBe('error');
    expect(deployment?.result).toBe('failed');
    expect(said(result)).toContain(`its outcome is unknown: the answer to ${section}.one is not the ${section}`);
    const repaired = textOf(section, services[section].good);
    await applyOver(made, repaired, made.emulator.send);
    await plansNothing(made, repaired);
  });
});

describe('a create that is answered with the row of another object', () => {
  const web = `${head}environments:
  production:
    application:
      web: { source: { type: docker, image: 'nginx:1.27' }, env: { A: ours }, deploy: never }
`;

  test('writes nothing to an object of another project, and the next apply goes on', async () => {
    const made = bench();
    await made.emulator.act('application.create', { name: 'web', appName: 'theirs', environmentId: 'env_prj_2' });
    const theirs = () => rowsIn(made, 'application').find((row) => row['environmentId'] === 'env_prj_2') ?? {};
    const before = JSON.stringify(theirs());
    await applyOver(made, web, async (request) => {
      const answer = await made.emulator.send(request);
      return operationOf(request) === 'application.create' ? { ...answer, body: before } : answer;
    });
    expect(JSON.stringify(theirs())).toBe(before);
    await made.apply(web);
    await plansNothing(made, web);
    expect(JSON.stringify(theirs())).toBe(before);
    expect(rowsIn(made, 'application')).toHaveLength(2);
  });

  test('writes nothing to its neighbour', async () => {
    const made = bench();
    await made.emulator.act('application.create', { name: 'other', appName: 'theirs', environmentId: 'env_prj_1' });
    const theirs = () => rowsIn(made, 'application')[0] ?? {};
    const before = JSON.stringify(theirs());
    await applyOver(made, web, async (request) => {
      const answer = await made.emulator.send(request);
      return operationOf(request) === 'application.create' ? { ...answer, body: before } : answer;
    });
    await made.apply(web);
    await plansNothing(made, web);
    expect(JSON.stringify(theirs())).toBe(before);
  });

  test('makes no two blocks one object', async () => {
    const made = bench();
    const app = (name: string, n: number) =>
      `      ${name}: { source: { type: docker, image: 'nginx:1.2${n}' }, env: { NAME: ${name} }, deploy: never }\n`;
    const text = `${head}environments:\n  production:\n    application:\n${app('one', 1)}${app('two', 2)}`;
    let first: WireAnswer | undefined;
    await applyOver(made, text, async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'application.create') return answer;
      first ??= answer;
      return first;
    });
    await made.apply(text);
    await plansNothing(made, text);
    expect(new Set(['one', 'two'].map((name) => idOf(made, `production.application.${name}`))).size).toBe(2);
    const images = rowsIn(made, 'application').map(({ name, dockerImage }) => `${String(name)} ${String(dockerImage)}`);
    expect(images.toSorted()).toEqual(['one nginx:1.21', 'two nginx:1.22']);
  });
});

describe('a create that is carried out and answered without a row', () => {
  const environment = `${head}environments: { production: {}, staging: { description: new } }\n`;
  test.each([
    ['204', 'redis', redis, { status: 204, headers: {}, body: '' }],
    ['null', 'redis', redis, answered('null')],
    ['{}', 'redis', redis, answered('{}')],
    ['a text', 'redis', redis, answered('"done"')],
    ['{}', 'environment', environment, answered('{}')],
  ] as const)('%s: the list of %s shows the object', async (_, kind, text, empty) => {
    const made = bench();
    const before = rowsIn(made, kind).length;
    const result = await applyOver(made, text, async (request) => {
      const answer = await made.emulator.send(request);
      return operationOf(request) === `${kind}.create` ? empty : answer;
    });
    expect(said(result)).toBe('');
    expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    expect(rowsIn(made, kind)).toHaveLength(before + 1);
    await plansNothing(made, text);
  });

  test('is not said to be absent while the list cannot be read', async () => {
    const made = bench();
    let isDown = false;
    const result = await applyOver(made, redis, async (request) => {
      if (isDown && request.method === 'GET') return failed('the database is restarting');
      const answer = await made.emulator.send(request);
      isDown ||= operationOf(request) === 'redis.create';
      return isDown ? answered('{}') : answer;
    });
    expect(rowsIn(made, 'redis')).toHaveLength(1);
    expect(said(result)).not.toContain('the platform does not have it');
    await made.apply(redis);
    await plansNothing(made, redis);
    expect(rowsIn(made, 'redis')).toHaveLength(1);
  });
});

test('an object whose service cannot be read back is not said to be absent', async () => {
  const text = `${head}environments:
  production:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: shop
        databaseUser: u
        databasePassword: password-1
        deploy: never
        backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: shop/ } }
`;
  const made = bench();
  let isDown = false;
  const result = await applyOver(made, text, async (request) => {
    if (isDown && request.method === 'GET') return failed('the database is restarting');
    const answer = await made.emulator.send(request);
    isDown ||= operationOf(request) === 'backup.create';
    return answer;
  });
  expect(rowsIn(made, 'backup')).toHaveLength(1);
  const address = 'production.postgres.main.backups.nightly';
  expect(said(result)).toContain(`${address} was sent, and it is not known whether the platform has it`);
  expect(results(result)[address]).toBe('unverified');
  await made.apply(text);
  await plansNothing(made, text);
  expect(rowsIn(made, 'backup')).toHaveLength(1);
});

test('an object that a person deletes while its neighbour is changed is not said to have been sent', async () => {
  const text = (version: number) => `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: 'nginx:1.2${version}' } }" }
        deploy: never
        domains: { a.example.com: { serviceName: web, port: 80 } }
`;
  const made = bench();
  await made.apply(text(1));
  const [domain] = rowsIn(made, 'domain');
  const result = await applyOver(made, text(2), async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) === 'compose.update')
      await made.emulator.act('domain.delete', { domainId: domain?.['domainId'] });
    return answer;
  });
  const address = 'production.compose.shop.domains["a.example.com"]';
  expect(said(result)).toBe(`${address} is not on the platform any more; nothing was sent for it`);
  expect(results(result)[address]).toBe('unverified');
  await made.apply(text(2));
  await plansNothing(made, text(2));
});
