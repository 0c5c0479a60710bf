import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Plan } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { planFile } from '../../src/plan/plan-facts.ts';
import { acceptDrift } from '../../src/drift/drift-run.ts';
import { plan as makePlan } from '../../src/workflow/make-plan.ts';
import { planAgain } from '../../src/workflow/reviewed.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import { session } from '../../src/workflow/session.ts';
import { documentOf } from '../support/documents.ts';
import { driftOf, edit } from '../support/drifting.ts';
import { calendar } from '../support/virtual-clock.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Drift that a person accepted until a day: apply leaves it alone until then, and every change of that is reviewed. */

const permissions = { adoption: true, dataLoss: true };
const shop = 'production.compose.shop';

const manifest = ({ region = 'eu-1', size = 'small', description = 'ours' } = {}) => `${head}environments:
  production:
    compose:
      shop:
        description: ${description}
        env: { REGION: ${region}, SIZE: ${size} }
        source: { type: raw, composeFile: "services: { web: { image: nginx, env_file: .env } }" }
`;

/** The manifest without its service. */
const without = `${head}environments: { production: {} }\n`;

async function applied(text = manifest(), secrets: Readonly<Record<string, string>> = {}) {
  const at = calendar('2026-03-01');
  const made = bench({ clock: at.clock });
  Object.assign(made.secrets, secrets);
  const { state } = await made.apply(text, permissions);
  const composeId = state.resources[shop]?.id ?? '';
  const fix = (members: Readonly<Record<string, unknown>>) => edit(made, 'compose.update', { composeId, ...members });
  return { made, at, fix, composeId };
}

async function accept(
  made: Bench,
  { text = manifest(), field, until = '2026-03-10' }: { text?: string; field?: string; until?: string } = {},
) {
  const request = {
    subject: shop,
    fields: field === undefined ? [] : [field],
    until,
    because: 'Black Friday',
    by: 'ops',
  };
  const folder = { folder: made.folder, file: 'trueup.yaml' };
  return acceptDrift(await made.manifest(text), made.world(), { folder, now: made.clock.wall(), request });
}

const fileOf = (made: Bench) => join(made.folder, 'accepted.yaml');
const rowOf = async (made: Bench, composeId: string) =>
  (await made.world().client.call('compose.one', { composeId })) as Readonly<Record<string, unknown>>;
const envOf = async (made: Bench, composeId: string) => String((await rowOf(made, composeId))['env']).trimEnd();
const writes = ({ actions }: Plan) => actions.filter(({ steps }) => steps.length > 0).map(({ address }) => address);
const notes = ({ actions }: Plan) =>
  actions.flatMap((one) => one.notes.map(({ code, message }) => ({ code, message })));

describe('apply', () => {
  it('leaves an accepted variable alone until its day, also when it writes another one, and says who accepted it', async () => {
    const { made, at, fix, composeId } = await applied();
    await fix({ env: 'REGION=eu-2\nSIZE=small' });
    const { location } = await accept(made, { field: 'env.REGION' });
    expect(location).toBe('accepted.yaml');
    expect(existsSync(join(made.folder, 'drift.yaml'))).toBe(false);

    const quiet = await made.plan(manifest());
    expect(writes(quiet)).toEqual([]);
    expect(documentOf(quiet)).toMatchObject({ left: 1, ignored: 0 });
    expect(notes(quiet)).toEqual([
      {
        code: 'accepted',
        message: 'env.REGION: ops accepted what the platform has until 2026-03-10: Black Friday',
      },
    ]);
    await made.apply(manifest({ size: 'large' }), permissions);
    expect(await envOf(made, composeId)).toBe('REGION=eu-2\nSIZE=large');
    expect(writes(await made.plan(manifest({ size: 'large' })))).toEqual([]);

    at.setDay('2026-03-10');
    expect(writes(await made.plan(manifest({ size: 'large' })))).toEqual([]);
    at.setDay('2026-03-11');
    const over = await made.plan(manifest({ size: 'large' }));
    expect(writes(over)).toContain(shop);
    expect(notes(over)[0]?.message).toBe(
      'env.REGION: ops accepted what the platform has until 2026-03-10, which has passed; apply puts it back',
    );
    await made.apply(manifest({ size: 'large' }), permissions);
    expect(await envOf(made, composeId)).toBe('REGION=eu-1\nSIZE=large');
    expect(writes(await made.plan(manifest({ size: 'large' })))).toEqual([]);
  });

  it('puts back another value than the accepted one, and says that one was accepted', async () => {
    const { made, at, fix, composeId } = await applied();
    await fix({ env: 'REGION=eu-2\nSIZE=small' });
    await accept(made, { field: 'env.REGION' });
    await fix({ env: 'REGION=eu-3\nSIZE=small' });
    const plan = await made.plan(manifest());
    expect(writes(plan)).toContain(shop);
    expect(notes(plan)).toEqual([
      {
        code: 'acceptance-over',
        message:
          'env.REGION: ops accepted another value until 2026-03-10; the platform has a new one since, and apply writes the one of the manifest',
      },
    ]);
    expect(plan.actions.flatMap((action) => action.notes.map(({ remedy }) => remedy))).toContain(
      `To keep the new one: trueup drift accept ${shop} --field env.REGION --until DAY --because 'Black Friday'.`,
    );
    // The remedy, carried out.
    await accept(made, { field: 'env.REGION' });
    expect(writes(await made.plan(manifest()))).toEqual([]);
    await fix({ env: 'REGION=eu-4\nSIZE=small' });
    at.setDay('2026-03-11');
    expect(notes(await made.plan(manifest()))).toEqual([]);
    await made.apply(manifest(), permissions);
    expect(await envOf(made, composeId)).toBe('REGION=eu-1\nSIZE=small');
    expect(writes(await made.plan(manifest()))).toEqual([]);
  });

  it('writes what was accepted back when that is asked for', async () => {
    const { made, fix, composeId } = await applied();
    await fix({ env: 'REGION=eu-2\nSIZE=small', description: 'theirs' });
    await accept(made);
    expect(writes(await made.plan(manifest()))).toEqual([]);
    const read = await made.manifest(manifest());
    const narrowing = readNarrowing({ includeAccepted: true });
    await session(read, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
      run.apply(await run.plan({ narrowing }), permissions),
    );
    expect(await envOf(made, composeId)).toBe('REGION=eu-1\nSIZE=small');
    expect(writes(await made.plan(manifest()))).toEqual([]);
  });

  it('puts back a value that changed once more', async () => {
    const { made, fix } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    await fix({ description: 'theirs again' });
    expect(writes(await made.plan(manifest()))).toEqual([shop]);
  });

  it('holds an edit of the accepted field until the day, and says so', async () => {
    const { made, at, fix } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    const edited = await made.plan(manifest({ description: 'edited' }));
    expect(writes(edited)).toEqual([]);
    expect(notes(edited)[0]?.message).toContain('the new value of the manifest waits until then');
    at.setDay('2026-03-11');
    expect(writes(await made.plan(manifest({ description: 'edited' })))).toEqual([shop]);
  });

  test.each([
    ['edited', 'more ${secret:PW}', {}, true],
    ['edited in the secret that is there', 'a ${secret:PW} ${secret:TOKEN}', { PW: 'another-4712' }, true],
    ['the same', 'a ${secret:PW} ${secret:TOKEN}', {}, false],
  ])('says so too of a value that lacks a secret and is %s', async (_, description, secrets, isEdited) => {
    const before = manifest({ description: 'a ${secret:PW} ${secret:TOKEN}' });
    const { made, fix } = await applied(before, { PW: 'first-4711', TOKEN: 'token-4711' });
    await fix({ description: 'theirs' });
    await accept(made, { text: before });
    for (const name of ['PW', 'TOKEN']) delete made.secrets[name];
    Object.assign(made.secrets, secrets);
    const plan = await made.plan(manifest({ description }));
    expect(writes(plan)).toEqual([]);
    expect(notes(plan)).toMatchObject([{ code: 'accepted' }]);
    expect(notes(plan)[0]?.message.endsWith('; the new value of the manifest waits until then')).toBe(isEdited);
  });

  it('does not say that the platform matches while a key that a person added stays', async () => {
    const text = manifest().replace('env: {', 'envMode: own\n        env: {');
    const { made, fix } = await applied(text);
    await fix({ env: 'REGION=eu-1\nSIZE=small\nEXTRA=1' });
    await accept(made, { text });
    const document = documentOf(await made.plan(text));
    expect(document).toMatchObject({ hasChanges: false, left: 1 });
    expect(verdictOf(document)).toBe('No changes. 1 field differs on the platform and stays so.');
  });

  it('keeps a key of an owned map that a person added, and one that a person removed', async () => {
    const text = manifest().replace('env: {', 'envMode: own\n        env: {');
    const { made, fix, composeId } = await applied(text);
    await fix({ env: 'SIZE=small\nEXTRA=1' });
    await accept(made, { text });
    expect(writes(await made.plan(text))).toEqual([]);
    const larger = text.replace('SIZE: small', 'SIZE: large');
    await made.apply(larger, permissions);
    expect(await envOf(made, composeId)).toBe('EXTRA=1\nSIZE=large');
    expect(writes(await made.plan(larger))).toEqual([]);
  });

  it('does not create an object again whose absence was accepted', async () => {
    const { made, at, composeId } = await applied();
    await edit(made, 'compose.delete', { composeId, deleteVolumes: false });
    await accept(made);
    expect(await driftOf(made, manifest())).toMatchObject({
      exitCode: 8,
      findings: [{ is: 'missing', status: 'accepted' }],
    });
    expect(writes(await made.plan(manifest()))).toEqual([]);
    await made.apply(manifest(), permissions);
    expect(writes(await made.plan(manifest()))).toEqual([]);
    at.setDay('2026-03-11');
    expect(writes(await made.plan(manifest()))).toContain(shop);
    await made.apply(manifest(), permissions);
    expect(writes(await made.plan(manifest()))).toEqual([]);
  });

  it('asks for no permission where the object that is missing is all that the state has', async () => {
    const text = `${head}environments:
  production:
    redis:
      a: { dockerImage: "redis:7", databasePassword: correct-horse }
      b: { dockerImage: "redis:7", databasePassword: correct-horse }
`;
    const { made } = await applied(text);
    const folder = { folder: made.folder, file: 'trueup.yaml' };
    for (const name of ['a', 'b']) {
      const redisId = made.store.state?.resources[`production.redis.${name}`]?.id;
      await edit(made, 'redis.remove', { redisId });
    }
    for (const name of ['a', 'b']) {
      const request = { subject: `production.redis.${name}`, until: '2026-03-10', because: 'moved', by: 'ops' };
      await acceptDrift(await made.manifest(text), made.world(), { folder, now: made.clock.wall(), request });
    }
    await made.apply(text, permissions);
    const plan = await made.plan(text);
    expect([writes(plan), plan.diagnostics]).toEqual([[], []]);
  });

  it('deletes a block with accepted drift that the manifest does not have any more', async () => {
    const { made, fix } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    await made.apply(without, permissions);
    expect((await made.plan(without)).actions.every(({ action }) => action === 'no-op')).toBe(true);
  });
});

describe('what refers to an object whose absence was accepted', () => {
  const cache = 'production.redis.cache';
  const api = 'production.application.api';
  const text = ({ level = 'info', more = '' } = {}) => `${head}environments:
  production:
    redis: { cache: { dockerImage: "redis:7", databasePassword: correct-horse } }
    application:
      api:
        source: { type: docker, image: "nginx:1" }
        env: { HOST: "\${ref:redis.cache.host}", LEVEL: ${level}${more} }
`;

  /** The Redis is gone and that is accepted. */
  async function missing() {
    const { made, at } = await applied(text());
    const { resources = {} } = (await made.store.read()) ?? {};
    const idOf = (address: string) => resources[address]?.id ?? '';
    const applicationId = idOf(api);
    const row = async () =>
      (await made.world().client.call('application.one', { applicationId })) as Readonly<Record<string, unknown>>;
    const env = String((await row())['env']);
    const fix = (dockerImage: string) => edit(made, 'application.update', { applicationId, dockerImage });
    const gone = async () => {
      await edit(made, 'redis.remove', { redisId: idOf(cache) });
      const request = { subject: cache, until: '2026-03-10', because: 'moved', by: 'ops' };
      const folder = { folder: made.folder, file: 'trueup.yaml' };
      await acceptDrift(await made.manifest(text()), made.world(), { folder, now: made.clock.wall(), request });
    };
    return { made, at, fix, gone, row, env, applicationId };
  }

  it('is compared all the same, also in the field that refers to it, and nothing of it is resolved', async () => {
    const { made, fix, gone, env, applicationId } = await missing();
    await fix('evil:666');
    expect(await driftOf(made, text())).toMatchObject({ exitCode: 2, findings: [{ path: 'source.image' }] });
    await gone();
    expect(await driftOf(made, text())).toMatchObject({
      exitCode: 8,
      resolved: [],
      findings: [
        { address: api, path: 'source.image', is: 'drifted', status: 'known' },
        { address: cache, is: 'missing', status: 'accepted' },
      ],
    });
    await edit(made, 'application.saveEnvironment', {
      applicationId,
      env: env.replace(/HOST=.*/, 'HOST=evil'),
      buildArgs: '',
      buildSecrets: '',
      createEnvFile: true,
    });
    const host = { path: 'env.HOST', is: 'drifted', status: 'new', platform: { value: 'evil' }, isLeft: true };
    expect((await driftOf(made, text())).findings).toMatchObject([host, { path: 'source.image' }, { is: 'missing' }]);
    await made.apply(text(), permissions);
    expect((await driftOf(made, text())).findings).toMatchObject([{ ...host, status: 'known' }, { is: 'missing' }]);
  });

  it('gets its other edits, and the warning names the field that waits and for what', async () => {
    const { made, at, gone, row, env } = await missing();
    await gone();
    const edited = text({ level: 'debug', more: ', OTHER: "x ${ref:redis.cache.host}"' });
    const plan = await made.plan(edited);
    expect(writes(plan)).toEqual([api, `${api} (deploy)`]);
    expect(plan.actions.flatMap((action) => action.notes)).toMatchObject([
      { code: 'accepted', address: cache },
      {
        code: 'pending',
        message: 'env.HOST, env.OTHER wait for production.redis.cache, which is accepted as missing',
        remedy: 'To create it now: --include-accepted.',
      },
    ]);
    expect(documentOf(plan).notCompared).toMatchObject([
      { address: cache, why: 'left out' },
      { address: api, path: 'env.HOST', why: 'left out' },
      { address: api, path: 'env.OTHER', why: 'left out' },
    ]);
    await made.apply(edited, permissions);
    expect(String((await row())['env']).trimEnd()).toBe(env.trimEnd().replace('info', 'debug'));
    expect(writes(await made.plan(edited))).toEqual([]);

    at.setDay('2026-03-11');
    await made.apply(edited, permissions);
    expect(String((await row())['env'])).toMatch(/^HOST=(.+)\nLEVEL=debug\nOTHER=x \1\n?$/);
    expect(writes(await made.plan(edited))).toEqual([]);
  });

  it('is missing as well when the platform does not have it', async () => {
    const { made, gone, applicationId } = await missing();
    await gone();
    await edit(made, 'application.delete', { applicationId });
    for (const status of ['new', 'known'])
      expect(await driftOf(made, text())).toMatchObject({
        resolved: [],
        findings: [
          { address: api, is: 'missing', status },
          { address: cache, is: 'missing', status: 'accepted' },
        ],
      });
    const plan = await made.plan(text());
    expect(writes(plan)).toEqual([]);
    expect(notes(plan)).toMatchObject([
      { code: 'accepted' },
      { message: `${api} waits for ${cache}, which is accepted as missing` },
    ]);
  });
});

describe('drift', () => {
  it('reports the field as accepted, with who, until when and why, and as expired after that', async () => {
    const { made, at, fix } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    const acceptance = { until: '2026-03-10', because: 'Black Friday', by: 'ops' };
    expect(await driftOf(made, manifest())).toMatchObject({
      exitCode: 8,
      findings: [{ path: 'description', status: 'accepted', accepted: acceptance, isLeft: true }],
    });
    at.setDay('2026-03-11');
    expect(await driftOf(made, manifest())).toMatchObject({
      exitCode: 2,
      findings: [{ path: 'description', status: 'expired', accepted: acceptance }],
    });
  });

  it('refuses to accept that an object was moved: apply moves it back', async () => {
    const text = `${head}environments:
  production: { redis: { cache: { dockerImage: "redis:7", databasePassword: correct-horse } } }
  staging: {}
`;
    const { made } = await applied(text);
    const state = await made.store.read();
    const idOf = (address: string) => state?.resources[address]?.id ?? '';
    const address = 'production.redis.cache';
    await edit(made, 'redis.move', { redisId: idOf(address), targetEnvironmentId: idOf('staging') });
    const request = { subject: address, until: '2026-03-10', because: 'tried', by: 'ops' };
    const folder = { folder: made.folder, file: 'trueup.yaml' };
    const accepting = acceptDrift(await made.manifest(text), made.world(), { folder, now: made.clock.wall(), request });
    await expect(accepting).rejects.toMatchObject({
      diagnostics: [{ message: `${address} was moved on the platform, and apply moves it back; nothing was written` }],
    });
    expect(existsSync(fileOf(made))).toBe(false);
  });
});

describe('an entry accepts nothing, and the plan names the command that renews it,', () => {
  const change = (made: Bench, by: (text: string) => string) =>
    writeFileSync(fileOf(made), by(readFileSync(fileOf(made), 'utf8')));

  test.each([
    ['without a digest', (text: string) => text.replace(/ +digest: .*\n/, ''), 'it has no digest'],
    [
      'with a key that the state lacks',
      (text: string) => text.replace(/digest: \d+\./, 'digest: 77.'),
      'with a key that',
    ],
    ['for more than a year', (text: string) => text.replace('2026-03-10', '2027-03-10'), 'more than a year away'],
  ])('%s', async (_, by, why) => {
    const { made, fix, composeId } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    change(made, by);
    const plan = await made.plan(manifest());
    expect(writes(plan)).toEqual([shop]);
    expect(plan.diagnostics).toMatchObject([
      {
        code: 'acceptance-void',
        message: expect.stringContaining(why) as string,
        remedy: expect.stringContaining(
          `trueup drift accept ${shop} --field description --until DAY --because 'Black Friday'`,
        ) as string,
        position: { file: 'accepted.yaml', line: 4 },
      },
    ]);
    // The remedy leads on.
    await accept(made, { field: 'description' });
    const renewed = await made.plan(manifest());
    expect([writes(renewed), renewed.diagnostics]).toEqual([[], []]);
    expect(readFileSync(fileOf(made), 'utf8').match(/object: /g)).toHaveLength(1);
    expect(readFileSync(fileOf(made), 'utf8')).toContain(composeId);
  });

  // A day that drift accept refuses is no remedy.
  test.each([
    ['2026-03-10', '2026-03-10'],
    ['2026-03-01', '2026-03-01'],
    ['2026-02-28', 'DAY'],
    ['2027-03-01', '2027-03-01'],
    ['2027-03-09', 'DAY'],
  ])('of the memory of an earlier version, until %s', async (until, renewed) => {
    const { made, fix, composeId } = await applied();
    await fix({ description: 'theirs' });
    writeFileSync(
      join(made.folder, 'drift.yaml'),
      `trueup-drift: 1\nfindings:\n  - { kind: compose, object: ${composeId}, address: ${shop}, field: description, is: drifted, since: 2026-02-01, accepted: { until: ${until}, because: moves us, by: ops } }\n`,
    );
    const remedy = `To renew it: trueup drift accept ${shop} --field description --until ${renewed} --because 'moves us'.`;
    // The entry has no digest, and the first run gives it one.
    for (const status of ['new', 'known'])
      expect(await driftOf(made, manifest())).toMatchObject({
        findings: [{ status }],
        diagnostics: [{ code: 'acceptance-void', remedy }],
      });
    await accept(made, { field: 'description' });
    expect(await driftOf(made, manifest())).toMatchObject({ findings: [{ status: 'accepted' }], diagnostics: [] });
  });

  test.each([
    ['no YAML', 'trueup-accepted: 1\naccepted: [', 'accepted-drift'],
    ['an unknown key', 'trueup-accepted: 1\naccepted: []\nmore: 1\n', 'accepted-drift'],
    [
      'a day that does not exist',
      'trueup-accepted: 1\naccepted: [{ kind: a, object: b, until: 2026-02-30, because: c, by: d }]\n',
      'accepted-drift',
    ],
    [
      'an entry twice',
      `trueup-accepted: 1\naccepted:\n${'  - { kind: a, object: b, until: 2026-02-03, because: c, by: d }\n'.repeat(2)}`,
      'accepted-drift',
    ],
  ])('a file with %s is an error of the manifest', async (_, text, code) => {
    const { made } = await applied();
    writeFileSync(fileOf(made), text);
    await expect(made.plan(manifest())).rejects.toMatchObject({
      failure: 'manifest',
      diagnostics: [{ code, position: { file: 'accepted.yaml' } }],
    });
  });
});

describe('a saved plan', () => {
  async function saved(made: Bench, text: string) {
    const purpose = { manifest: await made.manifest(text), deploys: true, destroys: false };
    const plan = await makePlan(purpose.manifest, made.world(), purpose);
    const origin = { version: '', at: '2026-03-01T12:00:00Z', shown: '' };
    return { file: planFile(plan, purpose, origin, await made.store.key()), name: 'the plan', version: '' };
  }
  const again = async (made: Bench, reviewed: Awaited<ReturnType<typeof saved>>, text: string) =>
    planAgain(reviewed, await made.manifest(text), made.world());

  it('is out of date once what is accepted changes, and once the day has passed', async () => {
    const { made, at, fix } = await applied();
    await fix({ description: 'theirs' });
    await accept(made);
    const text = manifest({ size: 'large' });
    const reviewed = await saved(made, text);
    expect(writes(await again(made, reviewed, text))).toContain(shop);
    at.setDay('2026-03-11');
    await expect(again(made, reviewed, text)).rejects.toMatchObject({
      diagnostics: [
        { code: 'plan-outdated' },
        { message: `description of ${shop} was accepted until 2026-03-10, which has passed` },
      ],
    });
    at.setDay('2026-03-02');
    await accept(made, { text, until: '2026-04-01' });
    await expect(again(made, reviewed, text)).rejects.toMatchObject({
      diagnostics: [{ code: 'plan-outdated' }, { message: 'the accepted drift was changed after the plan was made' }],
    });
  });
});

/** A step of a history. */
type Step =
  | { readonly do: 'hot fix'; readonly field: Name; readonly value: number }
  | { readonly do: 'accept'; readonly field: Name; readonly days: number }
  | { readonly do: 'days pass'; readonly days: number }
  | { readonly do: 'edit'; readonly field: Name; readonly value: number }
  | { readonly do: 'apply'; readonly asked: boolean };
type Name = 'REGION' | 'SIZE' | 'description';
const names = ['REGION', 'SIZE', 'description'] as const;

const name = fc.constantFrom(...names);
const value = fc.integer({ min: 0, max: 3 });
const days = fc.integer({ min: 0, max: 9 });
const steps = fc
  .array(
    fc.oneof(
      // A hot fix that is accepted at once is what most histories are about.
      {
        weight: 3,
        arbitrary: fc.tuple(name, value, days).map(([field, fixed, length]): Step[] => [
          { do: 'hot fix', field, value: fixed },
          { do: 'accept', field, days: length },
        ]),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(name, value).map(([field, to]): Step[] => [{ do: 'hot fix', field, value: to }]),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(name, days).map(([field, length]): Step[] => [{ do: 'accept', field, days: length }]),
      },
      {
        weight: 2,
        arbitrary: fc.integer({ min: 1, max: 6 }).map((length): Step[] => [{ do: 'days pass', days: length }]),
      },
      { weight: 1, arbitrary: fc.tuple(name, value).map(([field, to]): Step[] => [{ do: 'edit', field, value: to }]) },
      { weight: 4, arbitrary: fc.nat(4).map((n): Step[] => [{ do: 'apply', asked: n === 0 }]) },
    ),
    { minLength: 3, maxLength: 9 },
  )
  .map((parts) => parts.flat());

/**
 * What the platform has after an apply, by a model of four maps: an accepted value stays until its day, or until an apply
 * was asked to include it; every other field is as the manifest has it.
 */
test('an accepted field changes only after its day or when asked, in random histories', async () => {
  const seen = { kept: 0, over: 0, asked: 0, outdated: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const wanted: Record<Name, string> = { REGION: 'v0', SIZE: 'v0', description: 'v0' };
      const there = { ...wanted };
      const settled = { ...wanted };
      const accepted = new Map<Name, { readonly value: string; readonly until: string }>();
      const text = () => manifest({ region: wanted.REGION, size: wanted.SIZE, description: wanted.description });
      const { made, at, fix, composeId } = await applied(text());
      const send = () => fix({ env: `REGION=${there.REGION}\nSIZE=${there.SIZE}`, description: there.description });
      for (const step of history) {
        if (step.do === 'hot fix') {
          there[step.field] = `v${step.value}`;
          await send();
        } else if (step.do === 'edit') wanted[step.field] = `v${step.value}`;
        else if (step.do === 'days pass') at.addDays(step.days);
        else if (step.do === 'accept') {
          const until = new Date(made.clock.wall() + step.days * 86_400_000).toISOString().slice(0, 10);
          const field = step.field === 'description' ? 'description' : `env.${step.field}`;
          const purpose = { manifest: await made.manifest(text()), deploys: true, destroys: false };
          const plan = await makePlan(purpose.manifest, made.world(), purpose);
          const origin = { version: '', at: '2026-03-01T12:00:00Z', shown: '' };
          const file = planFile(plan, purpose, origin, await made.store.key());
          const isDrift = there[step.field] !== settled[step.field] && there[step.field] !== wanted[step.field];
          const accepting = accept(made, { text: text(), field, until });
          if (!isDrift) await expect(accepting).rejects.toMatchObject({ failure: 'refused' });
          else {
            await accepting;
            const before = accepted.get(step.field);
            accepted.set(step.field, { value: there[step.field], until });
            const isSame = before?.until === until && before.value === there[step.field];
            // A changed acceptance has a plan of its own.
            const reviewed = { file, name: 'the plan', version: '' };
            const again = planAgain(reviewed, await made.manifest(text()), made.world());
            if (isSame) await again;
            else {
              await expect(again).rejects.toMatchObject({ failure: 'refused' });
              seen.outdated++;
            }
          }
        } else {
          const read = await made.manifest(text());
          const narrowing = readNarrowing({ includeAccepted: step.asked });
          await session(read, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
            run.apply(await run.plan({ narrowing }), permissions),
          );
          for (const one of names) {
            const mine = accepted.get(one);
            const isMeant = mine?.value === there[one] && there[one] !== wanted[one] && there[one] !== settled[one];
            const stays = isMeant && mine.until >= at.day() && !step.asked;
            if (stays) seen.kept++;
            else if (isMeant) seen[step.asked ? 'asked' : 'over']++;
            if (stays) continue;
            there[one] = wanted[one];
            settled[one] = wanted[one];
          }
          const has = [await envOf(made, composeId), (await rowOf(made, composeId))['description']];
          expect(has).toEqual([`REGION=${there.REGION}\nSIZE=${there.SIZE}`, there.description]);
          expect(step.asked ? [] : writes(await made.plan(text()))).toEqual([]);
        }
      }
    }),
    { numRuns: effort({ fast: 20, full: 60, all: 300 }), seed: 20261126 },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
});
