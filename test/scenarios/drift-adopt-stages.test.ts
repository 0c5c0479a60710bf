import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/contract.ts';
import { driftAdoptCommand, planCommand } from '../cli/asked.ts';
import { apiKey, documentIn, places } from '../cli/place.ts';
import { edit } from '../support/drifting.ts';

/** What the platform has of a stage is written into the files of this stage, and nothing of another stage changes. */

const place = places();

const files = {
  // Only a command line gives its variable a value.
  'preview.yaml': `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: {}
include: [shop.yaml]
variables: { tag: {} }
redis: { more: { dockerImage: 'redis:\${var:tag}', databasePassword: '\${secret:PW}' } }
`,
  'production.yaml': 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironment: production\ninclude: [shop.yaml]\n',
  'shop.yaml': `templates:
  store:
    parameters: { version: { default: 8 }, memory: { default: 256Mi } }
    block:
      dockerImage: redis:\${param:version}
      databasePassword: '\${secret:PW}'
      memoryLimit: \${param:memory}
      env: { KEY: '\${block:key}' }
  site:
    block:
      source: { type: raw, composeFile: "services: { web: { image: 'nginx:1' } }" }
      domains: { main: { host: '\${block:key}.example.com', port: 80, serviceName: web } }
redis:
  cache: { use: store, env: { A: '1', B: x } } # of all
  queue: { use: store, with: { memory: 512Mi } }
compose: { shop: { use: site } }
`,
  'own.yaml': `redis:
  jobs: # only here
    use: store
    env: {C: '2'} # two
`,
};
const root = 'environment: staging # ours\ninclude: [shop.yaml, own.yaml]\n';

const store = (key: string, memory: string, env: string) =>
  `{ dockerImage: redis:8, databasePassword: '\${secret:PW}', memoryLimit: ${memory}, env: { KEY: ${key}${env} } }`;
const applied = `environments:
  staging:
    redis:
      cache: ${store('cache', '256Mi', ', A: "1", B: x')}
      queue: ${store('queue', '512Mi', '')}
      jobs: ${store('jobs', '256Mi', ', C: "2"')}
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: 'nginx:1' } }" }
        domains: { main: { host: shop.example.com, port: 80, serviceName: web } }
`;

/** A stage that was applied, in a folder with another one. */
async function world(more: Readonly<Record<string, string>> = {}, text = root, former = applied) {
  const at = await place(former, { secrets: { PW: 'canary-4711' } });
  for (const [name, content] of Object.entries({ ...files, ...more })) writeFileSync(join(at.folder, name), content);
  at.rewrite(text);
  const read = (name: string) => readFileSync(join(at.folder, name), 'utf8');
  return {
    read,
    folder: at.folder,
    own: () => read('trueup.yaml').split('\n').slice(3).join('\n'),
    change: (operation: Operation, address: string, input: Record<string, unknown>) =>
      edit({ emulator: at.emulator, apiKey }, operation, {
        [`${operation.split('.')[0] ?? ''}Id`]: at.idOf(`staging.${address}`),
        ...input,
      }),
    adopt: (subjects: readonly string[], flags = {}, format = 'text') =>
      at.run(
        driftAdoptCommand(
          subjects.map((one) => `staging.${one}`),
          flags,
        ),
        { format },
      ),
    planned: async () => {
      const document = documentIn(await at.run(planCommand({}), { format: 'json' }));
      if (document.format !== 'trueup/plan') return [document.format];
      return document.actions.flatMap(({ action, address, changes }) =>
        ['no-op', 'deploy', 'forget'].includes(action) || changes.length === 0
          ? []
          : [`${action} ${address} ${changes.map(({ path }) => path).join()}`],
      );
    },
  };
}

const memoryLimit = String(2 ** 30);

describe('drift adopt of a stage', () => {
  it('edits the files that only it includes, and writes what it shares into its changes', async () => {
    const at = await world();
    await at.change('redis.update', 'redis.cache', { memoryLimit, env: 'A=2\nD=3' });
    await at.change('redis.update', 'redis.queue', { memoryLimit, dockerImage: 'redis:9' });
    await at.change('redis.update', 'redis.jobs', { memoryLimit, env: 'C=3\nKEY=jobs' });
    const ran = await at.adopt(['redis.cache', 'redis.queue', 'redis.jobs']);
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(at.own()).toBe(`${root}changes:
  redis:
    cache:
      env:
        A: "2"
        B: !reset
        D: 3
        KEY: !reset
      memoryLimit: 1Gi
    queue:
      dockerImage: redis:9
      memoryLimit: 1Gi
`);
    expect(at.read('own.yaml')).toBe(files['own.yaml'].replace("'2'} # two\n", "'3'} # two\n    memoryLimit: 1Gi\n"));
    expect(at.read('shop.yaml')).toBe(files['shop.yaml']);
    expect(await at.planned()).toEqual([]);
  });

  it('edits changes where they stand, and resets a key of theirs that stands over another one', async () => {
    const changes = "changes: { redis: { cache: { memoryLimit: 300Mi, env: { A: '1', B: x } } } } # more\n";
    const at = await world({}, root + changes);
    await at.change('redis.update', 'redis.cache', { memoryLimit, env: 'A=1\nKEY=cache' });
    expect((await at.adopt(['redis.cache'])).exit).toBe('done');
    expect(at.own()).toBe(root + changes.replace('300Mi', '1Gi').replace('B: x', 'B: !reset'));
    expect(await at.planned()).toEqual([]);
  });

  it('removes a block of its own that is gone, and resets one that it shares or a template gives', async () => {
    const changes = 'changes: { redis: { cache: { memoryLimit: 1Gi }, jobs: { memoryLimit: 1Gi } } }\n';
    const at = await world({}, root + changes);
    await at.change('redis.remove', 'redis.cache', {});
    await at.change('redis.remove', 'redis.jobs', {});
    await at.change('domain.delete', 'compose.shop.domains.main', {});
    const ran = await at.adopt(['redis.cache', 'redis.jobs', 'compose.shop.domains.main']);
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(at.own()).toBe(
      `${root}changes: { redis: { cache: !reset }, compose: { shop: { domains: { main: !reset } } } }\n`,
    );
    expect(at.read('own.yaml')).toBe('redis:\n  {} # two\n');
    expect(await at.planned()).toEqual([]);
  });

  it('takes each file for shared where another root file cannot be read', async () => {
    const at = await world({ 'production.yaml': 'trueup: 1\nplatform: 7\n' });
    await at.change('redis.update', 'redis.jobs', { memoryLimit });
    expect((await at.adopt(['redis.jobs'])).exit).toBe('done');
    expect(at.own()).toBe(`${root}changes:\n  redis:\n    jobs:\n      memoryLimit: 1Gi\n`);
    expect(at.read('own.yaml')).toBe(files['own.yaml']);
    expect(await at.planned()).toEqual([]);
  });

  it('with --everywhere changes values where they stand, and names the other stages', async () => {
    const at = await world();
    await at.change('redis.update', 'redis.cache', { memoryLimit, env: 'A=2\nB=x\nKEY=cache' });
    await at.change('redis.update', 'redis.queue', { memoryLimit: String(3 * 2 ** 30), env: 'KEY=queue' });
    const dry = await at.adopt(['redis.cache'], { everywhere: true, dryRun: true }, 'json');
    expect(documentIn(dry)).toMatchObject({
      format: 'trueup/drift-adopt',
      others: [
        { file: 'trueup.yaml', addresses: ['staging.redis.jobs'] },
        { file: 'production.yaml', addresses: ['production.redis.cache'] },
      ],
    });
    const ran = await at.adopt(['redis.cache', 'redis.queue'], { everywhere: true });
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(ran.out).toContain('This changes trueup.yaml too: staging.redis.jobs.\n');
    expect(ran.out).toContain('This changes production.yaml too: production.redis.cache, production.redis.queue.');
    expect(at.read('shop.yaml')).toBe(
      files['shop.yaml'].replace("A: '1'", "A: '2'").replace('512Mi', '3Gi').replace('default: 256Mi', 'default: 1Gi'),
    );
    expect(at.own()).toBe(root);
    expect(await at.planned()).toEqual(['update staging.redis.jobs memoryLimit']);
  });

  it('with --everywhere says what the next apply of another stage deletes', async () => {
    const at = await world();
    await at.change('redis.remove', 'redis.cache', {});
    const dry = await at.adopt(['redis.cache'], { everywhere: true, dryRun: true }, 'json');
    expect(documentIn(dry)).toMatchObject({
      others: [{ file: 'production.yaml', addresses: ['production.redis.cache'], removed: ['production.redis.cache'] }],
    });
    const ran = await at.adopt(['redis.cache'], { everywhere: true });
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(ran.out.replaceAll(/\s+/g, ' ')).toContain(
      'This changes production.yaml too: production.redis.cache. Its next apply deletes production.redis.cache on its platform.',
    );
    expect(await at.planned()).toEqual([]);
  });

  it('with --everywhere refuses a value that the template makes of a parameter', async () => {
    const at = await world();
    await at.change('redis.update', 'redis.cache', { dockerImage: 'redis:9' });
    const ran = await at.adopt(['redis.cache'], { everywhere: true });
    expect(ran.err).toContain('the template writes it with ${param:version}, in shop.yaml');
    expect(ran.err).toContain('without --everywhere');
    expect((await at.adopt(['redis.cache'])).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
  });

  it('refuses an edit of a file that another stage reads too', async () => {
    const text = 'services: { web: { image: "nginx:1" } }\n';
    const uses = (name: string) => `compose: { ${name}: { source: { type: raw, composeFile: "\${file:web.yml}" } } }\n`;
    const at = await world({
      'shop.yaml': files['shop.yaml'].replace(/compose: .*\n$/, ''),
      'web.yml': text,
      'own.yaml': uses('shop') + files['own.yaml'],
    });
    writeFileSync(join(at.folder, 'production.yaml'), files['production.yaml'] + uses('web'));
    await at.change('compose.update', 'compose.shop', { composeFile: text.replace('1', '2') });
    const ran = await at.adopt(['compose.shop'], { field: ['source.composeFile'] });
    expect(ran.err).toContain('production.yaml would change too, in production.compose.web; nothing was written');
    expect(at.read('web.yml')).toBe(text);
    const all = await at.adopt(['compose.shop'], { field: ['source.composeFile'], everywhere: true });
    expect(all).toMatchObject({ exit: 'done', err: '' });
    expect(at.read('web.yml')).toBe(text.replace('1', '2'));
  });
});

describe('drift adopt of root files without an environment of their own', () => {
  const web = 'services: { web: { image: "nginx:1" } }\n';
  const text = web.replace('1', '2');
  const uses = (key: string, file = 'web.yml') =>
    `      ${key}: { source: { type: raw, composeFile: "\${file:${file}}" } }\n`;
  const made = (key: string) => uses(key).replace('"${file:web.yml}"', () => JSON.stringify(web));
  const sections = (...blocks: readonly string[]) => `environments:\n  staging:\n    compose:\n${blocks.join('')}`;
  const other = 'trueup: 1\nplatform: emulator\nproject: prj_2\n';

  /** A stage whose block `shop` drifted, in a folder with these files and no other root file. */
  async function drifted(own: string, beside: Readonly<Record<string, string>> = {}) {
    const at = await world({ 'web.yml': web, 'more.yml': web, ...beside }, own, sections(made('shop'), made('more')));
    for (const name of ['preview.yaml', 'production.yaml'])
      if (!Object.hasOwn(beside, name)) rmSync(join(at.folder, name));
    await at.change('compose.update', 'compose.shop', { composeFile: text });
    return at;
  }

  it('refuses a text that another block takes from the same file, and names it with --everywhere', async () => {
    const at = await drifted(sections(uses('shop'), uses('more')));
    const ran = await at.adopt(['compose.shop']);
    expect(ran).toMatchObject({ exit: 'stopped' });
    expect(ran.err).toContain('staging.compose.more would change too; nothing was written');
    expect(at.read('web.yml')).toBe(web);
    const all = await at.adopt(['compose.shop'], { everywhere: true });
    expect(all).toMatchObject({ exit: 'done', err: '' });
    expect(all.out).toContain('This changes trueup.yaml too: staging.compose.more.');
    expect(at.read('web.yml')).toBe(text);
  });

  it('refuses a text that another root file takes from the same file', async () => {
    const at = await drifted(sections(uses('shop'), uses('more', 'more.yml')), {
      'production.yaml': other + sections(uses('shop')),
    });
    const ran = await at.adopt(['compose.shop']);
    expect(ran).toMatchObject({ exit: 'stopped' });
    expect(ran.err).toContain('production.yaml would change too, in staging.compose.shop; nothing was written');
    expect(at.read('web.yml')).toBe(web);
    expect(await at.adopt(['compose.shop'], { everywhere: true })).toMatchObject({ exit: 'done', err: '' });
    expect(at.read('web.yml')).toBe(text);
  });

  it('takes a text for shared where a root file that names its file cannot be checked', async () => {
    const at = await drifted(sections(uses('shop'), uses('more', 'more.yml')), {
      'production.yaml': other + sections(uses('shop').replace(' } }', ' }, unknown: 1 }')),
    });
    const ran = await at.adopt(['compose.shop']);
    expect(ran).toMatchObject({ exit: 'stopped' });
    expect(ran.err).toContain('production.yaml may change too: it names a file that changes, and is not valid');
    expect(at.read('web.yml')).toBe(web);
    writeFileSync(join(at.folder, 'production.yaml'), at.read('production.yaml').replace('web.yml', 'more.yml'));
    expect(await at.adopt(['compose.shop'])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read('web.yml')).toBe(text);
  });

  it('writes a value of a file that another root file includes into its changes', async () => {
    const shared = sections(made('shop'), made('more'));
    const at = await drifted('include: [shared.yaml]\n', {
      'shared.yaml': shared,
      'production.yaml': `${other}include: [shared.yaml]\n`,
    });
    expect(await at.adopt(['compose.shop'])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read('shared.yaml')).toBe(shared);
    const block = `shop:\n          source:\n            composeFile: |\n              ${text}`;
    expect(at.own()).toBe(
      `include: [shared.yaml]\nchanges:\n  environments:\n    staging:\n      compose:\n        ${block}`,
    );
    expect(await at.planned()).toEqual([]);
  });
});
