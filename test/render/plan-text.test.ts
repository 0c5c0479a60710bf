import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { renderPlanPage } from '../../src/render/html/plan-page.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { actionOf, inputOf } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';
import { shown, toned } from './plans.ts';

const database = (fields: string): string =>
  `${head}environments:\n  production:\n    postgres:\n      main: { ${fields} }\n`;
const basic = 'dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: hunter2-hunter2';

describe('a plan as text', () => {
  it('lists created objects, with redacted secrets', async () => {
    const world = bench();
    expect(shown(await world.plan(database(basic)))).toBe(
      `? production: adopt (env_prj_1): exists on the platform, unchanged

+ production.postgres.main: create
    + name: main
    + dockerImage: postgres:17
    + databaseName: shop
    + databaseUser: shop
    + databasePassword: (sensitive)
  ^ deploy: first deployment

Plan: 1 to create, 1 to adopt, 1 to deploy.
`,
    );
  });

  it('lists of a created object no field that is declared to have no value', async () => {
    const world = bench();
    const text = database(`${basic}, description: null, unset: [command, memoryLimit], env: { A: "1" }`);
    const plan = await world.plan(text);
    expect(shown(plan)).toContain('+ env.A: "1"\n');
    expect(shown(plan)).not.toMatch(/description|command|memoryLimit|changed in the manifest|\(none\)/);
    const paths = plan.actions.flatMap(({ changes }) => changes.map(({ path }) => path));
    expect(paths).not.toEqual(expect.arrayContaining([expect.stringMatching(/description|command|memoryLimit/)]));
    await world.apply(text);
    expect(hasChanges(await world.plan(text))).toBe(false);
  });

  it('does not call an object unchanged that has an error or that differs and stays so', async () => {
    const world = bench();
    const text = (more: string, secret = '') => database(`${basic}, env: "A=1\\nB=\${secret:B}${secret}"${more}`);
    world.secrets['B'] = 'hunter2-hunter2';
    await world.apply(text(''));
    delete world.secrets['B'];
    expect(shown(await world.plan(text('', '\\nC=1')))).toContain(
      '  production.postgres.main: cannot be applied\n    error[secret-missing]: env: it was edited and needs B',
    );
    const id = world.store.state?.resources['production.postgres.main']?.id;
    await world.emulator.act('postgres.saveEnvironment', { postgresId: id, env: 'A=2' });
    expect(shown(await world.plan(text('')))).toContain(
      '  production.postgres.main: nothing is written\n    note: env: it differs on the platform and is not repaired',
    );
  });

  it('reports that nothing changes', async () => {
    const world = bench();
    await world.apply(database(basic));
    expect(shown(await world.plan(database(basic)))).toBe('No changes. The platform matches the manifest.\n');
  });

  it('does not claim that the platform matches a manifest with an error', async () => {
    const world = bench();
    await world.apply(database(`${basic}, externalPort: 15432`));
    const plan = await world.plan(database(`${basic}, externalPort: 15432, appName: store`));
    expect(hasChanges(plan)).toBe(false);
    expect(shown(plan)).toMatch(/\nThis plan cannot be applied: 1 error above\.\n$/);
  });

  it('shows the data that a variable of the environment puts at risk at the service', async () => {
    const world = bench();
    const file = '{ services: { db: { image: "postgres:${PG}", volumes: ["data:/db"] } }, volumes: { data: {} } }';
    const text = (version: string) =>
      `${head}environments:\n  production:\n    env: { PGX: "${version}" }\n    compose:\n      shop:\n` +
      `        source: { type: raw, composeFile: '${file}' }\n        env: { PG: "\${{environment.PGX}}" }\n`;
    await world.apply(text('17'));
    const plan = await world.plan(text('18'));
    expect(shown(plan)).toContain(
      `  production.compose.shop: unchanged
    ! data at risk: the data of db, because postgres:\${PG} is another version than before, or one that is not known (apply needs --allow-data-loss)
`,
    );
    expect(obstacles(plan, { dataLoss: false, adoption: false }).map(({ message }) => message)).toEqual([
      'to deploy production.compose.shop puts data at risk: the data of db, because postgres:${PG} is another version than before, or one that is not known',
    ]);
  });

  it('shows edits, drift and conflicts differently', async () => {
    const world = bench();
    await world.apply(database(`${basic}, description: one, command: run, memoryLimit: "1000"`));
    const id = world.store.state?.resources['production.postgres.main']?.id;
    await world.emulator.act('postgres.update', { postgresId: id, description: 'by hand', command: 'run --by-hand' });
    const text = shown(
      await world.plan(database(`${basic}, description: two, command: run, memoryLimit: "2000", externalPort: 15432`)),
    );
    expect(text).toBe(
      `~ production.postgres.main: update
    description: by hand -> two (conflict: was one, platform has by hand, manifest says two; apply writes what the manifest says)
    command: run --by-hand -> run (drift: changed on the platform, apply puts it back)
    memoryLimit: 1000 bytes -> 2000 bytes
    + externalPort: 15432
  ^ deploy: restarts with command, memoryLimit, externalPort

Overwrites changes that were made on the platform: production.postgres.main.
Restarts 1 service: production.postgres.main.
Plan: 1 to update, 1 to deploy, 1 unchanged.
`,
    );
  });

  it('says of a deployment that an earlier run started that apply waits for it, not that it restarts the service', async () => {
    const world = bench();
    const plan = await world.plan(database(basic));
    const actions = plan.actions.map((one) =>
      one.action === 'deploy' ? { ...one, start: 'under way' as const } : one,
    );
    const text = shown({ ...plan, actions });
    expect(text).toContain(
      'Waits for deployments that an earlier run started, of 1 service: production.postgres.main.\n',
    );
    expect(text).not.toContain('Restarts');
    const document = planDocument({ plan: { ...plan, actions }, counts: { reads: 0, writes: 0 } });
    expect(document).toMatchObject({ waitsFor: ['production.postgres.main'], restarts: [], notDeployed: [] });
    expect(document.actions.filter(({ underWay }) => underWay === true)).toMatchObject([{ action: 'deploy' }]);
    const page = renderPlanPage({ plan: document });
    expect(page).toContain('<b>Waits for deployments that an earlier run started, of 1 service</b>');
    expect(page).toContain('Started by an earlier run; started again if that deployment fails.');
  });

  it('names the first ten of many services and says that --full lists the others, which it does', async () => {
    const world = bench();
    const text = (tag: number) =>
      `${head}environments:\n  production:\n    redis:\n` +
      Array.from(
        { length: 12 },
        (_, at) => `      c${at}: { dockerImage: "redis:${tag}", databasePassword: hunter2-hunter2 }\n`,
      ).join('');
    await world.apply(text(8));
    const plan = await world.plan(text(8).replaceAll('redis:8', 'redis:8.2'));
    expect(shown(plan)).toMatch(
      /^Restarts 12 services: production\.redis\.c0, .* and 2 more \(--full lists them\)\.$/m,
    );
    expect(shown(plan, { isFull: true })).toMatch(/^Restarts 12 services: (production\.redis\.c\d+(, )?){12}\.$/m);
  });

  it('marks a replacement and the data that goes with it', async () => {
    const world = bench();
    await world.apply(database(basic));
    const text = shown(await world.plan(database(basic.replace('databaseName: shop', 'databaseName: store'))));
    expect(text).toMatch(/^-\/\+ production\.postgres\.main: replace \(\S+\): delete and create again\n/);
    expect(text).toContain('    databaseName: shop -> store\n    ! forces replacement\n');
    expect(text).toContain('    ! data at risk: the data of this database (apply needs --allow-data-loss)\n');
    expect(text).toContain('Apply puts data of 1 resource at risk and needs --allow-data-loss.\n');
    expect(text).toContain('  ^ deploy: deployment of the new object\n');
    expect(text).toContain('Plan: 1 to replace, 1 to deploy, 1 unchanged.\n');
  });

  it('names adopted objects, and objects that are deleted with their data', async () => {
    const world = bench();
    await world.apply(database(basic));
    const id = world.store.state?.resources['production.postgres.main']?.id ?? '';
    const gone = shown(await world.plan(`${head}environments:\n  production: {}\n`));
    expect(gone).toBe(
      `- production.postgres.main: delete (${id}): its block was removed
    - dockerImage: postgres:17
    - databaseName: shop
    - databaseUser: shop
    - name: main
    ! data at risk: the data of this database (apply needs --allow-data-loss)

Data at risk: production.postgres.main.
Apply puts data of 1 resource at risk and needs --allow-data-loss.
Plan: 1 to delete (1 service), 1 unchanged.
`,
    );
    world.store.state = undefined;
    const adoption = await world.plan(database(basic.replace('postgres:17', 'postgres:18')));
    const adopted = shown(adoption);
    expect(adopted).toContain(`? production.postgres.main: adopt (${id}): exists on the platform\n`);
    expect(adopted).toContain('    dockerImage: postgres:17 -> postgres:18 (first managed)\n');
    expect(adopted).toContain('Apply adopts 1 object and needs consent: --adopt, or answer yes.\n');
    const allowed = { adoption: true, dataLoss: false };
    expect(
      renderPlan(planDocument({ plan: adoption, counts: { reads: 0, writes: 0 }, allowed }), plainStyle),
    ).toContain(
      'Apply adopts 1 object (allowed).\nApply puts data of 1 resource at risk and needs --allow-data-loss.\n',
    );
  });

  it('names the services of a compose file that goes, and the number of its lines', async () => {
    const world = bench();
    const services = Array.from({ length: 14 }, (_, at) => `  s${at}: { image: "nginx:1.${at}" }\n`).join('');
    const file = `services:\n  db: { image: postgres:17 }\n  built: { build: "https://git.example.com/built.git" }\n${services}`;
    const source = `source: { type: raw, composeFile: ${JSON.stringify(file)} }`;
    await world.apply(`${head}environments:\n  production:\n    compose:\n      shop: { ${source} }\n`);
    const gone = await world.plan(`${head}environments:\n  production: {}\n`);
    expect(shown(gone)).toMatch(
      / {4}- services: db \(postgres:17\), built, s0 \(nginx:1.0\), .*, s9 \(nginx:1.9\), 4 more\n/,
    );
    expect(
      renderPlan(planDocument({ plan: gone, counts: { reads: 0, writes: 0 } }), { ...plainStyle, isFull: true }),
    ).toContain('s13 (nginx');
    for (const line of shown(gone, { width: 80 }).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('counts what goes with a service, and shows each with --full', async () => {
    const world = bench();
    const domains =
      'domains: { a.example.com: { serviceName: web, port: 80 }, b.example.com: { serviceName: web, port: 81 } }';
    const source = 'source: { type: raw, composeFile: "services: { web: { image: nginx } }" }';
    const shop = `shop: { ${source}, ${domains}, files: { x.conf: { content: a } } }`;
    await world.apply(`${head}environments:\n  production:\n    compose:\n      ${shop}\n`);
    const gone = await world.plan(`${head}environments:\n  production: {}\n`);
    expect(shown(gone)).toContain(
      '    - 2 domains with it: a.example.com, b.example.com\n    - 1 file with it: x.conf\n',
    );
    expect(shown(gone)).not.toContain('domains["a.example.com"]');
    const full = renderPlan(planDocument({ plan: gone, counts: { reads: 0, writes: 0 } }), {
      ...plainStyle,
      isFull: true,
    });
    expect(full).toMatch(/ {2}- domains\["a.example.com"\]: delete \(\S+\), with its parent\n {6}- serviceName: web\n/);
    expect(full).not.toContain('with it:');
  });

  it('counts what has no plural by its section', async () => {
    const world = bench();
    const security = 'security: { reader: { password: x1 }, editor: { password: x2 } }';
    const web = `web: { source: { type: docker, image: nginx }, ${security} }`;
    await world.apply(`${head}environments:\n  production:\n    application:\n      ${web}\n`);
    expect(shown(await world.plan(`${head}environments:\n  production: {}\n`))).toContain(
      '    - 2 of security with it: editor, reader\n',
    );
  });

  it.each([
    [[], 'no longer on the platform'],
    [['stays-there'], 'stays on the platform, no longer managed'],
    [['unverified'], 'whether it is on the platform is not known'],
  ] as const)('does not say that an object is gone beside %j', (codes, words) => {
    const notes = codes.map((code) => diagnostic(code, 'x'));
    const forgotten = actionOf('gitlab.lab', { action: 'forget', id: undefined, notes });
    const { state, observed } = inputOf({});
    const plan = {
      base: state,
      saved: state,
      observed,
      actions: [forgotten],
      destroys: false,
      narrowed: undefined,
      diagnostics: [],
    };
    expect(shown(plan)).toContain(`x gitlab.lab: remove from state: ${words}\n`);
  });

  it('puts the objects of a service below it', async () => {
    const world = bench();
    const compose = (port: number) => `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        domains: { shop.example.com: { serviceName: web, port: ${port} } }
`;
    await world.apply(compose(8080));
    expect(shown(await world.plan(compose(9090)))).toBe(
      `  production.compose.shop
  ~ domains["shop.example.com"]: update
      port: 8080 -> 9090
  ^ deploy: restarts with domains["shop.example.com"].port

Restarts 1 service: production.compose.shop.
Plan: 1 to update, 1 to deploy, 2 unchanged.
`,
    );
    const changed = shown(await world.plan(compose(8080).replace('nginx:1.27', 'nginx:1.28')));
    expect(changed).toContain('      -     image: nginx:1.27\n      +     image: nginx:1.28\n');
  });

  it('names services that Trueup does not deploy', async () => {
    const world = bench();
    await world.apply(database(`${basic}, deploy: never`));
    expect(shown(await world.plan(database(`${basic}, deploy: never, command: run`)))).toBe(
      `~ production.postgres.main: update
    + command: run

Takes effect with the next deployment of 1 service: production.postgres.main. This plan does not deploy; trueup run deploy ADDRESS does.
Plan: 1 to update, 1 unchanged.
`,
    );
  });

  it('names ten of many of them, and counts the others', async () => {
    const many = (fields: string): string => {
      const redis = Array.from(
        { length: 12 },
        (_, at) => `      r${at + 10}: { databasePassword: secret-77${fields} }\n`,
      );
      return `${head}environments:\n  production:\n    redis:\n${redis.join('')}`;
    };
    const world = bench();
    await world.apply(many(', deploy: never'));
    expect(shown(await world.plan(many(', deploy: never, command: run')))).toContain(
      'production.redis.r18, production.redis.r19 and 2 more (--full lists them). This plan does not deploy;',
    );
  });

  it('names the target of a move', async () => {
    const world = bench();
    await world.apply(`${database(basic)}  staging: {}\n`);
    const moved = `${head}moved: [{ from: production.postgres.main, to: staging.postgres.main }]
environments:\n  production: {}\n  staging:\n    postgres:\n      main: { ${basic} }\n`;
    expect(shown(await world.plan(moved))).toContain(
      '> production.postgres.main -> staging.postgres.main: move below staging; moved in the state\n',
    );
  });

  it('shows notes with their position in the file', async () => {
    const world = bench();
    await world.apply(database(`${basic}, description: one`));
    const text = shown(await world.plan(database(basic)));
    expect(text).toMatch(
      /^~ production\.postgres\.main: update: in the state only, nothing is sent\n {4}note: description: is no longer managed and stays as it is\n/,
    );
    expect(text).toContain('Plan: 1 to update, 1 unchanged.');
  });

  it('fits a narrow terminal, and leaves values whole where there is no width', async () => {
    const world = bench();
    await world.apply(database(`${basic}, description: "${'a long word '.repeat(6)}"`));
    const plan = await world.plan(database(`${basic}, description: "${'another word '.repeat(6)}"`));
    expect(shown(plan)).toContain(`-> "${'another word '.repeat(6)}"\n`);
    const narrow = shown(plan, { width: 40 });
    expect(narrow).toContain('    description:\n      - "a long word');
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('passes its tones to the painter, and gives the same bytes for the same plan', async () => {
    const world = bench();
    const plan = await world.plan(database(basic));
    expect(shown(plan, toned)).toContain('<good>+</good> <strong>production.postgres.main</strong>: create\n');
    expect(shown(plan)).toBe(shown(plan));
  });

  it('escapes control characters', async () => {
    const world = bench();
    await world.apply(database(basic));
    const id = world.store.state?.resources['production.postgres.main']?.id;
    await world.emulator.act('postgres.update', { postgresId: id, dockerImage: 'a\u001B]0;owned\u0007\u202Eb' });
    const text = shown(await world.plan(database(basic)));
    expect(text).toContain('dockerImage: "a\\x1b]0;owned\\x07\\u202eb" -> postgres:17');
  });

  it('shows all lines of a long text when asked for', async () => {
    const plan = await bench().plan(database(`${basic}, description: "${'a line\\n'.repeat(40)}"`));
    expect(shown(plan)).toContain('        … 30 more lines (--full shows all)\n');
    const full = renderPlan(planDocument({ plan, counts: { reads: 0, writes: 0 } }), { ...plainStyle, isFull: true });
    expect(full.match(/ {8}a line\n/g)).toHaveLength(40);
  });

  it('compares texts of several lines line by line', async () => {
    const world = bench();
    const text = (line: string) => database(`${basic}, description: "1\\n2\\n3\\n4\\n${line}\\n6\\n"`);
    await world.apply(text('five'));
    expect(shown(await world.plan(text('FIVE')))).toContain(
      '    description:\n      @@ -2,5 +2,5 @@\n        2\n        3\n        4\n      - five\n      + FIVE\n        6\n',
    );
  });
});
