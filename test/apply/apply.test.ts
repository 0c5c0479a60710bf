import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyEvent } from '../../src/apply/job.ts';
import type { Row } from '../../src/formats/json.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { isDeployOrder } from '../support/deployments.ts';
import {
  actionsOf,
  answered,
  answering,
  applyOver,
  everything,
  failed,
  losing,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  worldOver,
} from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

const two = `${head}environments:
  production:
    compose:
      one:
        ${composeBody}
        domains:
          one.example.com: { serviceName: web }
      two:
        ${composeBody}
        domains:
          two.example.com: { serviceName: web }
`;

describe('an error in one branch', () => {
  test('does not stop the others, and what depends on it is skipped and named', async () => {
    const made = bench();
    const { outcomes } = await applyOver(
      made,
      two,
      answering(made, (operation, request) =>
        operation === 'compose.create' && request.body?.includes('"one"') === true
          ? failed('disk full', 500, {})
          : undefined,
      ),
    );
    expect(results({ outcomes })).toEqual({
      production: 'done',
      'production.compose.one': 'failed',
      'production.compose.one.domains["one.example.com"]': 'skipped',
      'production.compose.one (deploy)': 'skipped',
      'production.compose.two': 'done',
      'production.compose.two.domains["two.example.com"]': 'done',
      'production.compose.two (deploy)': 'done',
    });
    const said = outcomes
      .flatMap((outcome) => outcome.diagnostics.flatMap(({ message, details = [] }) => [message, ...details]))
      .join('\n');
    expect(said).toContain('compose.create');
    expect(said).toContain('disk full');
    expect(said).toContain('was not tried, because production.compose.one did not succeed');
    await made.apply(two, { adoption: true });
    await plansNothing(made, two);
  });

  test('of authentication stops everything that has not begun', async () => {
    const made = bench();
    const { outcomes } = await applyOver(
      made,
      two,
      answering(made, (operation) => (operation === 'compose.create' ? failed('Unauthorized', 401, {}) : undefined)),
      { connections: 1 },
    );
    const values = Object.values(results({ outcomes }));
    expect(values.filter((value) => value === 'failed').length).toBeGreaterThan(0);
    expect(values.filter((value) => value === 'skipped').length).toBeGreaterThan(1);
    await made.apply(two, { adoption: true });
    await plansNothing(made, two);
  });
});

describe('a create whose answer is lost', () => {
  test.each(['compose.create', 'domain.create', 'environment.create', 'postgres.create', 'backup.create'])(
    '%s is not sent again; the next run finds its object without asking for adoption and creates no duplicate',
    async (operation) => {
      const made = bench();
      const text = `${two}    postgres:
      main:
        dockerImage: postgres:17
        databaseName: a
        databaseUser: a
        databasePassword: password-1
        backups:
          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ }
  staging: {}
`;
      await applyOver(made, text, losing(made, operation));
      await made.apply(text);
      await plansNothing(made, text);
      const creates = made.emulator.log.filter((request) => request.operation === operation && request.status === 200);
      const wanted = { 'compose.create': 2, 'domain.create': 2 }[operation] ?? 1;
      expect(creates).toHaveLength(wanted);
    },
  );
});

describe('200 proves nothing', () => {
  test('a value that the platform ignored is reported, and the next run writes it once more', async () => {
    const made = bench();
    await made.apply(two);
    const changed = two.replace(
      'one.example.com: { serviceName: web }',
      'one.example.com: { serviceName: web, port: 8080 }',
    );
    const { outcomes } = await applyOver(
      made,
      changed,
      answering(made, (operation) => (operation === 'domain.update' ? answered('{}') : undefined)),
    );
    expect(results({ outcomes })['production.compose.one.domains["one.example.com"]']).toBe('ignored');
    // What else the request may have done is deployed with it.
    const again = await made.plan(changed);
    expect(actionsOf(again)).toEqual([
      'update production.compose.one.domains["one.example.com"]',
      'deploy production.compose.one (deploy)',
    ]);
    expect(again.actions.flatMap(({ changes }) => changes)).toMatchObject([{ path: 'port', cause: 'ignored' }]);
    await made.apply(changed);
    await plansNothing(made, changed);
  });

  test('a deletion without effect is a failure, and the object stays in the state', async () => {
    const made = bench();
    const database = `${head}environments:
  production:
    mariadb:
      main: { dockerImage: "mariadb:11", databaseName: a, databaseUser: a, databasePassword: password-1 }
`;
    await made.apply(database);
    const { outcomes } = await applyOver(
      made,
      `${head}environments: { production: {} }\n`,
      answering(made, (operation) => (operation === 'mariadb.remove' ? answered('{}') : undefined)),
    );
    expect(results({ outcomes })['production.mariadb.main']).toBe('failed');
    expect(made.store.state?.resources['production.mariadb.main']).toBeDefined();
    await made.apply(`${head}environments: { production: {} }\n`, { dataLoss: true });
    await plansNothing(made, `${head}environments: { production: {} }\n`);
  });

  test('of several deletions below one environment, the one without effect is a failure', async () => {
    const made = bench();
    await made.apply(two);
    const none = `${head}environments: { production: {} }\n`;
    const first = rowsIn(made, 'compose').find(({ name }) => name === 'one')?.composeId;
    const { outcomes } = await applyOver(
      made,
      none,
      answering(made, (operation, { body }) =>
        operation === 'compose.delete' && body?.includes(String(first)) === true ? answered('{}') : undefined,
      ),
    );
    expect(results({ outcomes })).toMatchObject({
      'production.compose.one': 'failed',
      'production.compose.two': 'done',
      'production.compose.two.domains["two.example.com"]': 'done',
    });
    expect(Object.keys(made.store.state?.resources ?? {})).toContain('production.compose.one');
    expect(Object.keys(made.store.state?.resources ?? {})).not.toContain('production.compose.two');
    await made.apply(none, { dataLoss: true });
    await plansNothing(made, none);
  });

  test('an effect that cannot be read back is unverified, and settles in the next run', async () => {
    const made = bench();
    await made.apply(two);
    const changed = two.replace('serviceName: web }', 'serviceName: web, port: 8080 }');
    let isChanged = false;
    const { outcomes } = await applyOver(
      made,
      changed,
      answering(made, (operation) => {
        if (operation === 'domain.update') isChanged = true;
        return operation === 'compose.one' && isChanged
          ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }
          : undefined;
      }),
    );
    expect(results({ outcomes })['production.compose.one.domains["one.example.com"]']).toBe('unverified');
    expect(actionsOf(await made.plan(changed))).toEqual(['deploy production.compose.one (deploy)']);
    await made.apply(changed);
    await plansNothing(made, changed);
  });
});

describe('what the user did not declare', () => {
  const backups = (more: string) => `${head}environments:
  production:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: a
        databaseUser: a
        databasePassword: password-1
        backups:
          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/${more} }
`;

  test('is sent back by a whole-record update as it is at that moment, hot fixes included', async () => {
    const made = bench();
    await made.apply(backups(''));
    const database = (await made.emulator.act('postgres.one', {
      postgresId: made.store.state?.resources['production.postgres.main']?.id,
    })) as { backups: Row[] };
    const [row] = database.backups;
    const whole = [
      'schedule',
      'enabled',
      'prefix',
      'backupId',
      'destinationId',
      'database',
      'serviceName',
      'metadata',
      'databaseType',
    ];
    const planned = await made.plan(backups(', enabled: false'));
    // Somebody sets keepLatestCount between the plan and its apply.
    await made.emulator.act('backup.update', {
      ...Object.fromEntries(whole.map((name) => [name, row?.[name] ?? null])),
      keepLatestCount: 99,
    });
    await applyPlan(planned, made.world(), { permissions: everything, connections: 4, clock: made.clock });
    const after = (await made.emulator.act('backup.one', { backupId: row?.backupId })) as Row;
    expect(after).toMatchObject({ keepLatestCount: 99, enabled: false });
    await plansNothing(made, backups(', enabled: false'));
  });

  test('is not sent back when the platform could not decrypt it: the call is refused', async () => {
    const made = bench();
    await made.apply(backups(''));
    const { outcomes } = await applyOver(made, backups(', enabled: false'), async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'postgres.one') return answer;
      return { ...answer, body: answer.body.replace('"metadata":null', '"metadata":"enc:v1:abc"') };
    });
    expect(results({ outcomes })['production.postgres.main.backups.nightly']).toBe('failed');
    expect(outcomes.flatMap((outcome) => outcome.diagnostics.map((item) => item.message)).join()).toContain(
      'could not decrypt',
    );
    expect(made.requests('POST').filter((operation) => operation === 'backup.update')).toEqual([]);
  });
});

describe('the order of requests', () => {
  test('never has two writes of one service in flight, nor more requests than connections allow', async () => {
    const made = bench();
    const domains = Array.from({ length: 12 }, (_, n) => `          d${n}.example.com: { serviceName: web }\n`).join(
      '',
    );
    const text = `${head}environments:\n  production:\n    compose:\n${['a', 'b', 'c']
      .map((name) => `      ${name}:\n        ${composeBody}\n        domains:\n${domains}`)
      .join('')}`;
    const flying = new Map<string, number>();
    let most = 0;
    let total = 0;
    const { outcomes } = await applyOver(made, text, async (request) => {
      const operation = operationOf(request);
      const service =
        operation === 'domain.create' ? String((JSON.parse(request.body ?? '{}') as Row).composeId) : undefined;
      if (service !== undefined) flying.set(service, (flying.get(service) ?? 0) + 1);
      total++;
      most = Math.max(most, ...flying.values());
      await new Promise((resolve) => setTimeout(resolve, 1));
      const answer = await made.emulator.send(request);
      if (service !== undefined) flying.set(service, (flying.get(service) ?? 0) - 1);
      return answer;
    });
    expect(outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    expect(flying.size).toBe(3);
    expect(most).toBe(1);
    expect(total).toBeGreaterThan(36);
    await plansNothing(made, text);
  });

  test('deletes backups whose jobs would go on before their service, and sends nothing for what the platform ends with it', async () => {
    const made = bench();
    const text = `${head}environments:
  production: {}
  staging:
    compose:
      shop:
        ${composeBody}
        backups:
          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: s/, database: s, databaseType: postgres, serviceName: web }
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: a
        databaseUser: a
        databasePassword: password-1
        mounts: { /extra: { type: volume, volumeName: extra } }
        backups:
          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ }
`;
    await made.apply(text);
    made.requests('POST');
    const result = await made.destroy(text);
    expect(result.outcomes.every((outcome) => outcome.result === 'done')).toBe(true);
    const sent = made.requests('POST');
    expect(sent.toSorted()).toEqual(['backup.remove', 'compose.delete', 'environment.remove', 'postgres.remove']);
    expect(sent.indexOf('backup.remove')).toBeLessThan(sent.indexOf('compose.delete'));
    expect(sent.at(-1)).toBe('environment.remove');
    expect(made.store.state?.resources).toEqual({});
    expect(Object.keys(made.emulator.world.tables.backup)).toEqual([]);
  });

  test('sends removals below a service before creations: removing a file mount deletes the file of its path', async () => {
    const made = bench();
    const files = (body: string) =>
      `${head}environments:\n  production:\n    compose:\n      a:\n        ${composeBody}\n        files:\n${body}`;
    await made.apply(files('          old: { filePath: app.conf, content: "1" }\n'));
    made.requests('POST');
    const after = files('          new: { filePath: app.conf, content: "2" }\n');
    await made.apply(after, everything);
    expect(made.requests('POST')).toEqual(['mounts.remove', 'mounts.create', 'compose.deploy']);
    await plansNothing(made, after);
  });

  test('creates one at a time for a key of a member, whose access lists the platform would lose', async () => {
    const made = bench();
    let flying = 0;
    let most = 0;
    await applyOver(made, two, async (request) => {
      const isWrite = request.method === 'POST' && !isDeployOrder(operationOf(request));
      if (isWrite) most = Math.max(most, ++flying);
      await new Promise((resolve) => setTimeout(resolve, 1));
      const answer = await made.emulator.send(request);
      if (isWrite) flying--;
      return operationOf(request) === 'user.get'
        ? { ...answer, body: answer.body.replace('"owner"', '"member"') }
        : answer;
    });
    expect(most).toBe(1);
    await plansNothing(made, two);
  });
});

test('each action is reported once at its start and once at its end', async () => {
  const made = bench();
  const text = `${head}environments:
  production:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: a
        databaseUser: a
        databasePassword: password-1
        backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ } }
`;
  const empty = `${head}environments: { production: {} }\n`;
  await made.apply(text);
  const events: ApplyEvent[] = [];
  await applyOver(made, empty, made.emulator.send, { onEvent: (event) => events.push(event) });
  expect(events.map(({ event, address }) => `${event} ${address}`).toSorted()).toEqual([
    'done production.postgres.main',
    'done production.postgres.main.backups.nightly',
    'started production.postgres.main',
    'started production.postgres.main.backups.nightly',
  ]);
  await plansNothing(made, empty);
});

describe('a run that is interrupted', () => {
  test('starts nothing new, finishes what is in flight, and the next run goes on without a duplicate', async () => {
    const made = bench();
    const stop = new AbortController();
    const { outcomes } = await applyOver(made, two, made.emulator.send, {
      connections: 1,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.event === 'started' && event.address.startsWith('production.compose')) stop.abort();
      },
    });
    const values = Object.values(results({ outcomes }));
    expect(values).toContain('skipped');
    expect(outcomes.flatMap((outcome) => outcome.diagnostics.map((item) => item.message)).join()).toContain(
      'interrupted',
    );
    await made.apply(two);
    await plansNothing(made, two);
    expect(made.emulator.log.filter((request) => request.operation === 'compose.create')).toHaveLength(2);
  });
});

describe('values known only after apply', () => {
  const withReference = (image: string) => `${head}environments:
  production:
    postgres:
      main: { dockerImage: "${image}", databaseName: shop, databaseUser: shop, databasePassword: password-1 }
    compose:
      shop:
        ${composeBody}
        env:
          URL: "postgres://\${ref:postgres.main.host}/shop"
`;

  test('are filled in within the run, and a replaced object updates all that refer to it', async () => {
    const made = bench();
    await made.apply(withReference('postgres:17'));
    await plansNothing(made, withReference('postgres:17'));
    const renamed = withReference('postgres:17').replace('databaseName: shop', 'databaseName: store');
    const planned = await made.plan(renamed);
    expect(planned.actions.map((action) => [action.address, action.action])).toContainEqual([
      'production.compose.shop',
      'update',
    ]);
    expect(planned.actions.find((action) => action.address === 'production.compose.shop')?.changes).toMatchObject([
      { path: 'env.URL', cause: 'known after apply' },
    ]);
    await made.apply(renamed, { dataLoss: true });
    const row = (await made.emulator.act('compose.one', {
      composeId: made.store.state?.resources['production.compose.shop']?.id,
    })) as Row;
    const database = (await made.emulator.act('postgres.one', {
      postgresId: made.store.state?.resources['production.postgres.main']?.id,
    })) as Row;
    expect(row.env).toContain(String(database.appName));
    await plansNothing(made, renamed);
  });
});

describe('secrets', () => {
  test('are in no outcome, event, error or state, also when the server echoes what it was sent', async () => {
    const made = bench();
    made.secrets.CANARY = 'canary-Kx81-secret';
    made.env.CANARY = 'canary-Kx82-secret';
    const text = `${head}environments:
  production:
    env: { A: "\${secret:CANARY}", B_TOKEN: canary-Kx83-secret }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: "\${secret:CANARY}", env: { C: "\${env:CANARY}" } }
    redis:
      cache: { databasePassword: canary-Kx84-secret }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx, command: server --password canary-Kx85-secret } }" }
        env: "D_TOKEN=canary-Kx86-secret"
        files: { a.conf: { content: password=canary-Kx87-secret } }
        backups:
          nightly: { serviceName: web, databaseType: postgres, database: a, schedule: "0 3 * * *", destinationId: dst_1, prefix: a/, metadata: { postgres: { databaseUser: canary-Kx88-secret } } }
`;
    const events: ApplyEvent[] = [];
    const manifest = await made.manifest(text);
    let echo = true;
    const echoing: Send = async (request) => {
      if (echo && request.method === 'POST')
        return failed(`Failed query: insert into x values (${request.body ?? ''})`);
      return made.emulator.send(request);
    };
    const world = worldOver(made, echoing);
    const planned = await plan(manifest, world);
    expect(
      inspect(
        planned.actions.map((action) => [action.changes, action.notes]),
        { depth: 20 },
      ),
    ).not.toMatch(/canary-/);
    expect(
      inspect(
        planned.actions.map((action) => [action.steps, action.attributes]),
        { depth: 20, showHidden: true },
      ),
    ).not.toContain('canary-');
    for (echo of [true, false]) {
      const fresh = await plan(manifest, world);
      const result = await applyPlan(fresh, world, {
        permissions: everything,
        connections: 4,
        clock: made.clock,
        onEvent: (event) => events.push(event),
      });
      const said = JSON.stringify([
        result.outcomes.map(({ result: what, diagnostics }) => [what, diagnostics]),
        events.splice(0),
        result.state,
        made.store.state,
      ]);
      expect(said).not.toContain('canary-');
      expect(said.includes('Failed query')).toBe(echo);
    }
    await plansNothing(made, text);
  });
});
