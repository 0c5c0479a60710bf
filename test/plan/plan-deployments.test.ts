import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/action.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { partAddress } from '../../src/kind/address.ts';
import { actionsOf, answering, applyOver, everything, failed, idOf, notesOf, results } from '../support/faults.ts';
import { deployByHand } from '../support/deployments.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Which services a plan deploys, and why. */

const source = `source: { type: raw, composeFile: "services: { web: { image: nginx } }" }`;
const stack = (more = '', environment = '') =>
  `${head}environments:\n  production:\n${environment === '' ? '' : `    ${environment}\n`}    compose:\n      shop: { ${source}${more === '' ? '' : `, ${more}`} }\n`;
const code = (more = '', branch = 'main') =>
  `${head}environments:\n  production:\n    application:\n      web: { source: { type: git, url: "https://git.example.com/shop.git", branch: ${branch} }${more} }\n`;
const shop = 'production.compose.shop';
const web = 'production.application.web';

const apply = (made: Bench, text: string) => made.apply(text, everything);

/** What a plan deploys. */
function deploysIn(planned: Plan): Record<string, readonly string[] | undefined> {
  return Object.fromEntries(
    planned.actions.flatMap((one) =>
      one.action === 'deploy' ? [[one.parent ?? '', one.start === 'again' ? one.because : undefined]] : [],
    ),
  );
}

/** Applies, and gives what was deployed; nothing is left to do after it. */
async function deployed(made: Bench, text: string): Promise<Record<string, readonly string[] | undefined>> {
  const planned = await made.plan(text);
  const { outcomes } = await apply(made, text);
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  expect(actionsOf(await made.plan(text))).toEqual([]);
  return deploysIn(planned);
}

describe('a service is deployed', () => {
  test('for the first time when it is created, and because of what changes later', async () => {
    const made = bench();
    expect(await deployed(made, stack('env: { A: "1", B: "1" }'))).toEqual({ [shop]: undefined });
    expect(await deployed(made, stack('env: { A: "2" }'))).toEqual({ [shop]: ['env.A', 'env.B'] });
    expect(await deployed(made, stack('env: { A: "2" }'))).toEqual({});
  });

  test('because of what changes below it', async () => {
    const made = bench();
    const domains = (port: number) =>
      stack(`domains: { a.example.com: { serviceName: web, port: ${port} } }, files: { a.conf: { content: a } }`);
    await deployed(made, domains(80));
    expect(await deployed(made, domains(81))).toEqual({ [shop]: ['domains["a.example.com"].port'] });
    expect(await deployed(made, stack())).toEqual({ [shop]: ['files["a.conf"]', 'domains["a.example.com"]'] });
  });

  test('because of a variable of its environment that it mentions, and not because of another one', async () => {
    const made = bench();
    const text = (region: string, zone: string) =>
      stack(`env: { R: "in \${{environment.REGION}}" }`, `env: { REGION: ${region}, ZONE: ${zone} }`);
    await deployed(made, text('eu', 'a'));
    expect(await deployed(made, text('eu', 'b'))).toEqual({});
    expect(await deployed(made, text('us', 'b'))).toEqual({ [shop]: ['production.env.REGION'] });
  });

  test('because of a mentioned variable also when the environment is written as text', async () => {
    const made = bench();
    const text = (region: string, zone: string) =>
      stack(`env: { R: "\${{environment.REGION}}" }`, `env: "REGION=${region}\\nZONE=${zone}\\n"`);
    await deployed(made, text('eu', 'a'));
    expect(await deployed(made, text('eu', 'b'))).toEqual({});
    expect(await deployed(made, text('us', 'b'))).toEqual({ [shop]: ['production.env.REGION'] });
  });

  test('when an edit that was never deployed is taken back: somebody may have deployed it', async () => {
    const made = bench();
    await deployed(made, stack('env: { A: "1" }'));
    await apply(made, stack('env: { A: "2" }, deploy: never'));
    expect(await deployed(made, stack('env: { A: "1" }'))).toEqual({ [shop]: ['env.A'] });
  });

  test('when drift is repaired, although it comes to what was deployed last', async () => {
    const made = bench();
    await deployed(made, stack('env: { A: "1" }'));
    await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'A=9' });
    expect(await deployed(made, stack('env: { A: "1" }'))).toEqual({ [shop]: ['env.A'] });
  });

  test('when the platform has what was declared just now: it may have been written and not deployed', async () => {
    const made = bench();
    await deployed(made, stack('env: { A: "1" }'));
    await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'A=2' });
    made.requests('POST');
    expect(await deployed(made, stack('env: { A: "2" }'))).toEqual({ [shop]: ['env.A'] });
    expect(made.requests('POST')).toEqual(['compose.deploy']);
  });
});

describe('a service is not deployed', () => {
  test('when something below it fails, also while it is new', async () => {
    const made = bench();
    const text = stack('domains: { a.example.com: { serviceName: web } }');
    const result = await applyOver(
      made,
      text,
      answering(made, (operation) => (operation === 'domain.create' ? failed('disk full') : undefined)),
    );
    expect(results(result)).toMatchObject({ [shop]: 'done', [partAddress(shop, 'deployment')]: 'skipped' });
    // It never ran, so it is its first deployment.
    expect(await deployed(made, text)).toEqual({ [shop]: undefined });
  });

  test('when a field is let go of, or managed for the first time as it is', async () => {
    const made = bench();
    await deployed(made, stack('command: compose up -d'));
    expect(await deployed(made, stack())).toEqual({});
    expect(await deployed(made, stack('command: compose up -d'))).toEqual({});
  });

  test('when it is adopted as it is', async () => {
    const made = bench();
    await deployed(made, stack('env: { A: "1" }'));
    made.store.state = undefined;
    expect(await deployed(made, stack('env: { A: "1" }'))).toEqual({});
  });

  test('when its backups change', async () => {
    const made = bench();
    const text = (keep: number) =>
      stack(
        `volumeBackups: { data: { serviceName: web, volumeName: data, cronExpression: "0 3 * * *", destinationId: dst_1, prefix: x, keepLatestCount: ${keep} } }`,
      ).replace(
        'services: { web: { image: nginx } }',
        '{ services: { web: { image: nginx } }, volumes: { data: {} } }',
      );
    await deployed(made, text(3));
    expect(await deployed(made, text(4))).toEqual({});
  });
});

test('a run without a secret of the environment changes nothing of what is known of the deployments', async () => {
  const made = bench();
  const text = stack('env: { R: "in ${{environment.REGION}}" }', 'env: "REGION=${secret:REGION}\\nZONE=a\\n"');
  made.secrets.REGION = 'europe-1';
  await apply(made, text);
  const before = JSON.stringify(made.store.state);
  delete made.secrets.REGION;
  expect(await deployed(made, text)).toEqual({});
  expect(JSON.stringify(made.store.state)).toBe(before);
});

describe('deploy: never', () => {
  test('leaves it to you; what is saved is deployed when the word goes', async () => {
    const made = bench();
    await apply(made, stack('deploy: never, env: { A: "1" }'));
    const planned = await made.plan(stack('deploy: never, env: { A: "2" }'));
    expect(deploysIn(planned)).toEqual({});
    expect(planned.actions.find(({ address }) => address === shop)?.service?.isLeft).toBe(true);
    await apply(made, stack('deploy: never, env: { A: "2" }'));
    expect(made.requests('POST')).not.toContain('compose.deploy');
    expect(await deployed(made, stack('env: { A: "2" }'))).toEqual({ [shop]: undefined });
  });

  test('is not waited for any more once somebody deployed it on the platform', async () => {
    const made = bench();
    await apply(made, stack('deploy: never, env: { A: "1" }'));
    await deployByHand(made, idOf(made, shop), 'compose');
    expect(await deployed(made, stack('env: { A: "1" }'))).toEqual({});
  });

  test('of a deployment that was there before the changes were written proves nothing', async () => {
    const made = bench();
    await deployed(made, stack('env: { A: "1" }'));
    await deployByHand(made, idOf(made, shop), 'compose');
    await apply(made, stack('deploy: never, env: { A: "2" }'));
    expect(await deployed(made, stack('env: { A: "2" }'))).toEqual({ [shop]: [] });
  });
});

test('a plan without deployments has none, and the next one with them has', async () => {
  const made = bench();
  const world = made.world();
  const text = stack('env: { A: "1" }');
  const planned = await plan(await made.manifest(text), world, { deploys: false });
  expect(deploysIn(planned)).toEqual({});
  await applyPlan(planned, world, { permissions: everything, connections: 4 });
  expect(actionsOf(await plan(await made.manifest(text), world, { deploys: false }))).toEqual([]);
  expect(await deployed(made, text)).toEqual({ [shop]: undefined });
});

describe('an application with a repository, by the document only', () => {
  const cannot = async (made: Bench, text: string) =>
    notesOf(await made.plan(text)).filter(({ code: word }) => word === 'not-deployed');

  test('cannot be deployed for the first time: the plan says so, and what to do, until somebody did it', async () => {
    const made = bench({ documentedOnly: true });
    expect(await cannot(made, code())).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('cannot be deployed from here') as string },
    ]);
    const { outcomes } = await apply(made, code());
    expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
    expect(actionsOf(await made.plan(code()))).toEqual([]);
    expect(await cannot(made, code())).toHaveLength(1);
    await deployByHand(made, idOf(made, web));
    expect(await cannot(made, code())).toEqual([]);
    expect(await deployed(made, code())).toEqual({});
  });

  test('is rebuilt when its variables change, and not when its code does', async () => {
    const made = bench({ documentedOnly: true });
    await apply(made, code());
    await deployByHand(made, idOf(made, web));
    expect(await deployed(made, code(', env: { A: "1" }'))).toEqual({ [web]: ['env.A'] });
    expect(made.requests('POST')).toContain('application.redeploy');
    await apply(made, code(', env: { A: "1" }', 'next'));
    expect(made.requests('POST')).not.toContain('application.redeploy');
    expect(await cannot(made, code(', env: { A: "1" }', 'next'))).toHaveLength(1);
    // What was rebuilt now would run the old code and look like a success.
    await apply(made, code(', env: { A: "2" }', 'next'));
    expect(made.requests('POST')).not.toContain('application.redeploy');
    expect(await cannot(made, code(', env: { A: "2" }', 'next'))).toHaveLength(1);
    await deployByHand(made, idOf(made, web));
    expect(await cannot(made, code(', env: { A: "2" }', 'next'))).toEqual([]);
    expect(await deployed(made, code(', env: { A: "2" }', 'next'))).toEqual({});
  });
});

test('the deletion of what a service no longer uses waits until that service is deployed', async () => {
  const made = bench({ documentedOnly: true });
  const redis = '    redis:\n      cache: { dockerImage: "redis:8", databasePassword: password-1 }\n';
  const text = (more: string, env: string) =>
    `${head}environments:\n  production:\n${more}    compose:\n      shop: { ${source}, env: { ${env} } }\n`;
  await deployed(made, text(redis, 'CACHE: "${ref:redis.cache.host}"'));
  made.requests('POST');
  await deployed(made, text('', 'CACHE: none'));
  expect(made.requests('POST')).toEqual(['compose.update', 'compose.deploy', 'redis.remove']);
});

test('a service that refers to one that is replaced is deployed with the new name, after the new one', async () => {
  const made = bench({ documentedOnly: true });
  const text = (serverId: string) =>
    `${head}environments:\n  production:\n    redis:\n      cache: { dockerImage: "redis:8", databasePassword: password-1, serverId: ${serverId} }\n    compose:\n      shop: { ${source}, env: { CACHE: "\${ref:redis.cache.host}" } }\n`;
  await deployed(made, text('srv_1'));
  made.requests('POST');
  expect(await deployed(made, text('srv_2'))).toEqual({ 'production.redis.cache': undefined, [shop]: ['env.CACHE'] });
  expect(made.requests('POST')).toEqual([
    'redis.remove',
    'redis.create',
    'compose.update',
    'redis.deploy',
    'compose.deploy',
  ]);
});
