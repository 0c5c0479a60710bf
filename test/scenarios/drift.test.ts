import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { refuseWrites } from '../../src/drift/drift-run.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { unlistedIn } from '../../src/plan/not-compared.ts';
import { driftAcceptCommand, driftAdoptCommand, driftCommand, exportCommand } from '../cli/asked.ts';
import { clientOf, driftOf, edit } from '../support/drifting.ts';
import { bench, head } from '../support/world.ts';
import { documentIn, places } from '../cli/place.ts';

/** What `trueup drift` finds, remembers and sends. */

const day = (text: string) => ({ now: Date.parse(`${text}T12:00:00Z`) });

const shop = (more = '', env = 'REGION: eu-1') => `${head}environments:
  production:
    compose:
      shop:
        env: { ${env} }
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        domains:
          shop.example.com: { port: 80, serviceName: web }
${more}`;

const permissions = { adoption: true, dataLoss: true };

async function applied(text = shop()) {
  const made = bench();
  await made.apply(text, permissions);
  made.requests('POST');
  const state = await made.store.read();
  const idOf = (address: string) => state?.resources[address]?.id ?? '';
  return { made, idOf };
}

describe('drift', () => {
  it('finds nothing after an apply, and writes no memory', async () => {
    const { made } = await applied();
    expect(await driftOf(made, shop())).toMatchObject({ exitCode: 0, findings: [], memory: { isUpdated: false } });
    expect(existsSync(join(made.folder, 'drift.yaml'))).toBe(false);
    expect(made.requests('POST')).toEqual([]);
  });

  it('needs a state, so that a job that has another one does not look healthy', async () => {
    const made = bench();
    await expect(driftOf(made, shop())).rejects.toMatchObject({
      failure: 'state',
      diagnostics: [{ code: 'state-unusable', message: expect.stringContaining('there is no state') as string }],
    });
    expect(existsSync(join(made.folder, 'drift.yaml'))).toBe(false);
  });

  it('tells an edit of the manifest from drift, and has all three values of both', async () => {
    const { made, idOf } = await applied();
    const edited = shop('', 'REGION: us-1');
    expect(await driftOf(made, edited)).toMatchObject({
      exitCode: 0,
      findings: [{ is: 'not yet applied', status: 'not yet applied', path: 'env.REGION' }],
    });
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    expect(await driftOf(made, edited)).toMatchObject({
      exitCode: 2,
      findings: [
        {
          is: 'drifted',
          edited: true,
          applied: { value: 'eu-1' },
          platform: { value: 'eu-2' },
          manifest: { value: 'us-1' },
        },
      ],
    });
    await made.apply(edited, permissions);
    expect((await driftOf(made, edited)).findings).toEqual([]);
  });

  it('tells an edit from drift also where the run lacks a secret of the value', async () => {
    const made = bench();
    made.secrets['PW'] = 'first-4711';
    const text = (region: string) => shop('', `REGION: "${region} \${secret:PW}"`);
    await made.apply(text('eu-1'), permissions);
    const composeId = made.store.state?.resources['production.compose.shop']?.id;
    delete made.secrets['PW'];
    expect(await driftOf(made, text('us-1'))).toMatchObject({
      findings: [{ is: 'not yet applied', path: 'env.REGION', isLeft: true }],
    });
    await edit(made, 'compose.update', { composeId, env: 'REGION=theirs' });
    expect((await driftOf(made, text('us-1'))).findings).toMatchObject([{ is: 'drifted', edited: true }]);
    const [unedited] = (await driftOf(made, text('eu-1'))).findings;
    expect([unedited?.is, unedited?.edited]).toEqual(['drifted', undefined]);
  });

  it('finds missing objects once with what is below, and unmanaged ones with the address of their block', async () => {
    const { made, idOf } = await applied();
    await edit(made, 'compose.delete', { composeId: idOf('production.compose.shop'), deleteVolumes: false });
    await edit(made, 'redis.create', {
      name: 'legacy',
      appName: 'legacy',
      databasePassword: 'legacy-password',
      environmentId: idOf('production'),
    });
    const found = await driftOf(made, shop());
    expect(found).toMatchObject({
      exitCode: 2,
      findings: [
        { is: 'missing', address: 'production.compose.shop', summary: 'with 1 below it' },
        { is: 'unmanaged', address: 'production.redis.legacy', name: 'legacy' },
      ],
    });
    await made.apply(shop(), permissions);
    expect(await driftOf(made, shop())).toMatchObject({
      exitCode: 8,
      findings: [{ is: 'unmanaged', status: 'known' }],
      resolved: [{ is: 'missing' }],
    });
  });

  it('finds what others scheduled, backed up and patched below a service that declares none of it, and forgets none', async () => {
    const { made, idOf } = await applied();
    const composeId = idOf('production.compose.shop');
    const schedule = { name: 'backdoor', cronExpression: '* * * * *', command: 'true', shellType: 'bash' };
    await edit(made, 'schedule.create', { ...schedule, scheduleType: 'compose', composeId, serviceName: 'web' });
    await edit(made, 'patch.create', { composeId, filePath: 'a.txt', content: 'a' });
    const backup = { name: 'copy', volumeName: 'data', prefix: 'p', cronExpression: '0 3 * * *', keepLatestCount: 1 };
    const volume = { ...backup, serviceType: 'compose', composeId, serviceName: 'web', destinationId: 'dst_1' };
    await edit(made, 'volumeBackups.create', volume);
    const address = 'production.compose.shop';
    const found = (status: string) => ({
      resolved: [],
      findings: [
        { is: 'unmanaged', kind: 'patch', status },
        { is: 'unmanaged', kind: 'schedule', address: `${address}.schedules.backdoor`, status },
        { is: 'unmanaged', kind: 'volumeBackup', address: `${address}.volumeBackups.copy`, status },
      ],
    });
    expect(await driftOf(made, shop())).toMatchObject({ exitCode: 2, ...found('new') });
    const declared = shop(
      '        schedules: { mine: { cronExpression: "@daily", command: "true", serviceName: web } }\n',
    );
    await made.apply(declared, permissions);
    expect(await driftOf(made, declared)).toMatchObject({ exitCode: 8, ...found('known') });
    await made.apply(shop(), permissions);
    expect(await driftOf(made, shop())).toMatchObject({ exitCode: 8, ...found('known') });
  });

  it('sends a GET for each of these lists, three of a compose, which a plan does not send', async () => {
    const { made } = await applied();
    const sent = async (run: () => Promise<unknown>) => {
      made.requests('GET');
      await run();
      return made.requests('GET').length;
    };
    const planned = await sent(() => made.plan(shop()));
    expect(await sent(() => driftOf(made, shop()))).toBe(planned + 3);
  });

  it('does not fail for such a list without a right to it, names it as not compared, and resolves nothing in it', async () => {
    const whole = createEmulator();
    let refuses = false;
    const body = JSON.stringify({ message: 'no right', code: 'FORBIDDEN' });
    const send: typeof whole.send = async (request) =>
      refuses && request.path.startsWith('/api/schedule.list')
        ? { status: 403, headers: {}, body }
        : whole.send(request);
    const made = bench({ emulator: { ...whole, send }, clock: bench().clock });
    const { state } = await made.apply(shop(), permissions);
    const composeId = state.resources['production.compose.shop']?.id ?? '';
    const schedule = { name: 'backdoor', cronExpression: '* * * * *', command: 'true', shellType: 'bash' };
    await edit(made, 'schedule.create', { ...schedule, scheduleType: 'compose', composeId, serviceName: 'web' });
    expect(await driftOf(made, shop())).toMatchObject({ exitCode: 2, findings: [{ is: 'unmanaged' }] });
    refuses = true;
    const unread = await driftOf(made, shop());
    expect(unread).toMatchObject({ exitCode: 0, findings: [], resolved: [] });
    expect(unlistedIn(unread.plan)).toMatchObject([{ address: 'production.compose.shop', path: 'schedules' }]);
    refuses = false;
    expect(await driftOf(made, shop())).toMatchObject({ exitCode: 8, findings: [{ status: 'known' }] });
  });

  it('says that a value is flapping after three changes within 30 days, and forgets them later', async () => {
    const { made, idOf } = await applied();
    const composeId = idOf('production.compose.shop');
    await edit(made, 'compose.update', { composeId, env: 'REGION=eu-2' });
    await driftOf(made, shop(), day('2026-03-01'));
    await edit(made, 'compose.update', { composeId, env: 'REGION=eu-1' });
    await driftOf(made, shop(), day('2026-03-02'));
    await edit(made, 'compose.update', { composeId, env: 'REGION=eu-2' });
    const again = await driftOf(made, shop(), day('2026-03-03'));
    expect(again.findings).toMatchObject([{ status: 'new', flapping: { changes: 3, since: '2026-03-01' } }]);
    const later = await driftOf(made, shop(), day('2026-04-20'));
    expect(later.findings).toMatchObject([{ status: 'known' }]);
    expect(later.findings[0]).not.toHaveProperty('flapping');
  });

  it('counts what a rule ignores, and keeps an edit of the manifest that the rule covers', async () => {
    const { made, idOf } = await applied();
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    const rule = "drift: { ignore: [{ address: 'production.*', field: env, because: a robot }] }\n";
    expect(await driftOf(made, shop(rule))).toMatchObject({
      exitCode: 0,
      findings: [],
      ignored: [{ because: 'a robot', found: { path: 'env.REGION' } }],
    });
    expect(await driftOf(made, shop(rule, 'REGION: us-1'))).toMatchObject({
      exitCode: 0,
      findings: [{ is: 'not yet applied', path: 'env.REGION' }],
    });
    expect(await driftOf(made, shop('drift: { ignore: [{ address: production.compose.other }] }\n'))).toMatchObject({
      exitCode: 2,
    });
  });

  it('remembers beside the state where the manifest says so', async () => {
    const { made, idOf } = await applied();
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    const text = shop('drift: { memory: state }\n');
    expect(await driftOf(made, text)).toMatchObject({ exitCode: 2, memory: { isUpdated: true } });
    expect(await driftOf(made, text)).toMatchObject({ exitCode: 8 });
    expect(await made.store.documents.get('drift.yaml')).toContain('trueup-drift: 1');
    expect(existsSync(join(made.folder, 'drift.yaml'))).toBe(false);
  });
});

describe('the client of drift', () => {
  it('refuses every operation that is no GET, unsent', async () => {
    const { made } = await applied();
    // @ts-expect-error -- an operation that writes does not compile
    const sent = clientOf(made).invoke('compose.stop', { composeId: 'cmp_1' });
    await expect(sent).rejects.toThrow('compose.stop writes: it was not sent');
    expect(made.requests('POST')).toEqual([]);
  });

  it('has a transport that refuses every POST', async () => {
    const { made } = await applied();
    const connection = await made.platform().connect({ purpose: 'drift', mayWrite: refuseWrites });
    await expect(connection.client.call('compose.stop', { composeId: 'cmp_1' })).rejects.toThrow('only reads');
    expect(made.requests('POST')).toEqual([]);
  });
});

describe('drift.yaml', () => {
  const memory = 'trueup-drift: 1\nfindings:\n';
  const entry = '  - { kind: compose, object: cmp_1, is: drifted, since: 2026-03-01 }\n';
  test.each([
    ['no YAML', 'findings: [', 'never closed'],
    ['another file', 'services: {}\n', 'trueup-drift'],
    [
      'an unknown key',
      `${memory}  - { kind: compose, object: cmp_1, is: drifted, since: 2026-03-01, x: 1 }\n`,
      'no key x',
    ],
    ['an unknown word', `${memory}  - { kind: compose, object: cmp_1, is: gone, since: 2026-03-01 }\n`, 'must be'],
    ['no day', `${memory}  - { kind: compose, object: cmp_1, is: drifted, since: yesterday }\n`, 'a day'],
    ['two entries of one subject', memory + entry + entry, 'is listed twice'],
    [
      'a billion laughs',
      `${memory}${[...Array(30).keys()].map((at) => `  - &a${at} [${at === 0 ? 'x' : `*a${at - 1}, *a${at - 1}`}]\n`).join('')}`,
      '',
    ],
    ['control characters', `${memory}  - { kind: "a\u0001b" }\n`, 'control character'],
  ])('is refused when it is %s, and stays as it is', async (_, text, words) => {
    const { made } = await applied();
    const file = join(made.folder, 'drift.yaml');
    writeFileSync(file, text);
    made.requests('GET');
    await expect(driftOf(made, shop())).rejects.toMatchObject({
      failure: 'manifest',
      diagnostics: [{ code: 'drift-memory', message: expect.stringContaining(words) as string }],
    });
    expect(made.requests('GET')).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is refused when it is a link, or no file', async () => {
    const { made } = await applied();
    const file = join(made.folder, 'drift.yaml');
    symlinkSync('/etc/hostname', file);
    await expect(driftOf(made, shop())).rejects.toMatchObject({ failure: 'manifest' });
    rmSync(file);
    mkdirSync(file);
    await expect(driftOf(made, shop())).rejects.toMatchObject({ failure: 'manifest' });
  });

  it('keeps comments, order and line ends that people gave it', async () => {
    const { made, idOf } = await applied();
    const composeId = idOf('production.compose.shop');
    await edit(made, 'compose.update', { composeId, env: 'REGION=eu-2' });
    const file = join(made.folder, 'drift.yaml');
    await driftOf(made, shop(), day('2026-02-01'));
    const [digest = ''] = /digest: .*/.exec(readFileSync(file, 'utf8')) ?? [];
    const text = [
      '# ours',
      'trueup-drift: 1',
      '',
      'findings:',
      '  # the vendor',
      `  - kind: compose # first`,
      `    object: ${composeId}`,
      '    field: env.REGION',
      '    is: drifted',
      '    since: 2026-02-01',
      `    ${digest}`,
      "    accepted: { until: 2026-12-31, because: 'moves us', by: ops } # by mail",
      '',
    ].join('\r\n');
    writeFileSync(file, text);
    const found = await driftOf(made, shop(), day('2026-03-01'));
    expect(found).toMatchObject({ exitCode: 8, findings: [{ status: 'known', since: '2026-02-01' }] });
    expect(found.diagnostics).toMatchObject([{ code: 'acceptance-void' }]);
    const after = readFileSync(file, 'utf8');
    for (const line of text.split('\r\n')) expect(after).toContain(line);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    const last = await driftOf(made, shop(), day('2027-01-01'));
    expect(last).toMatchObject({ exitCode: 8, findings: [{ status: 'known' }] });
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  it('takes a day in the future for today', async () => {
    const { made, idOf } = await applied();
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    await driftOf(made, shop(), day('2031-01-01'));
    expect(await driftOf(made, shop(), day('2026-03-01'))).toMatchObject({
      exitCode: 8,
      findings: [{ status: 'known', since: '2026-03-01' }],
    });
    expect(readFileSync(join(made.folder, 'drift.yaml'), 'utf8')).not.toContain('2031');
  });

  it('may lie where include: has a pattern that matches it', async () => {
    const { made, idOf } = await applied();
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    const text = shop('include: ["*.yaml"]\n');
    writeFileSync(join(made.folder, 'more.yaml'), 'variables: {}\n');
    expect(await driftOf(made, text)).toMatchObject({ exitCode: 2 });
    expect(await driftOf(made, text)).toMatchObject({ exitCode: 8 });
  });
});

describe('the command', () => {
  const place = places();
  const sections = shop().slice(head.length);
  const clock = { wall: () => Date.parse('2026-03-01T12:00:00Z') };

  it('prints what it found and ends with 2, then with 8; accept takes it until a day', async () => {
    const { run, requests, idOf, emulator } = await place(sections);
    const made = { emulator, apiKey: 'right-key-4711' };
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env: 'REGION=eu-2' });
    requests();
    const first = await run(driftCommand({}, clock));
    expect(first.exit).toBe('changes');
    expect(first.out).toContain('New drift: 1 new.');
    expect(first.out).toContain('env.REGION: eu-1 -> eu-2');
    expect(first.out).toContain('trueup drift accept production.compose.shop --field env.REGION --until DATE');
    expect((await run(driftCommand({}, clock))).exit).toBe('known drift');
    const flags = { until: '2026-03-10', because: 'vendor moves us', by: 'ops' };
    const accepted = await run(driftAcceptCommand('production.compose.shop', flags, clock), { format: 'json' });
    expect(documentIn(accepted)).toMatchObject({ accepted: [{ path: 'env.REGION', accepted: flags }] });
    const third = await run(driftCommand({ full: true }, clock), { format: 'json' });
    expect(documentIn(third)).toMatchObject({
      format: 'trueup/drift',
      exitCode: 8,
      summary: { accepted: 1, known: 0 },
      findings: [{ status: 'accepted', accepted: flags }],
      ignored: [],
    });
    expect(requests().filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  it('names drift adopt for what adopt takes, however it is shown, and the hand for a secret', async () => {
    const { run, idOf, emulator } = await place(sections);
    const made = { emulator, apiKey: 'right-key-4711' };
    const env = 'REGION=eu-2\nFEATURE=on\nAPI_TOKEN=canary-5f1c9b7e21d04a';
    await edit(made, 'compose.update', { composeId: idOf('production.compose.shop'), env });
    for (const shown of [{}, { hideValues: true } as const]) {
      const document = documentIn(await run(driftCommand({ remember: false, ...shown }, clock), { format: 'json' }));
      const found = document.format === 'trueup/drift' ? document.findings : [];
      const keeps = found.map(({ path, remedies = [] }) => [path, remedies[1]?.command ?? remedies[1]?.aim]);
      const adopt = 'trueup drift adopt production.compose.shop --field';
      expect(keeps).toEqual([
        ['env.API_TOKEN', expect.stringContaining('by hand, because it is or holds a secret')],
        ['env.FEATURE', `${adopt} env.FEATURE`],
        ['env.REGION', `${adopt} env.REGION`],
      ]);
    }
    const fields = (field: string) => driftAdoptCommand(['production.compose.shop'], { field: [field] });
    expect(await run(fields('env.FEATURE'))).toMatchObject({ exit: 'done' });
    expect((await run(fields('env.API_TOKEN'))).err).toContain('its value is a secret, or looks like one');
  });

  it('names each unmanaged object by an address that export takes, also where names are alike or no keys', async () => {
    const { run, idOf, emulator } = await place(sections);
    const made = { emulator, apiKey: 'right-key-4711' };
    const environmentId = idOf('production');
    const names = ['legacy', 'legacy', 'of ${HOME}', 'a\u202Eb', ' edge ', 'x'.repeat(130)];
    for (const [at, name] of names.entries())
      await edit(made, 'redis.create', { name, appName: `app-${at}`, databasePassword: 'pw', environmentId });
    const document = documentIn(await run(driftCommand({}, clock), { format: 'json' }));
    const found = document.format === 'trueup/drift' ? document.findings : [];
    const addresses = found.map(({ address = '' }) => address);
    expect(addresses).toEqual([
      'production.redis.a-b',
      'production.redis.edge',
      'production.redis.legacy',
      'production.redis.legacy-2',
      'production.redis.of-HOME',
      `production.redis.${'x'.repeat(120)}`,
    ]);
    const flags = { until: '2026-03-10', because: 'x', by: 'ops' };
    const accepted = documentIn(
      await run(driftAcceptCommand('production.redis.legacy', flags, clock), { format: 'json' }),
    );
    expect(accepted).toMatchObject({ accepted: [{ address: 'production.redis.legacy' }] });
    for (const address of addresses) {
      const exported = documentIn(await run(exportCommand({ address }), { format: 'json' }));
      expect(exported).toMatchObject({ format: 'trueup/export' });
    }
    const left = documentIn(await run(driftCommand({ remember: false }, clock), { format: 'json' }));
    expect(left).toMatchObject({ format: 'trueup/drift', findings: [] });
  });

  test.each([
    ['no day', { until: 'soon', because: 'x', by: 'ops' }, '--until must be a day'],
    ['a day that does not exist', { until: '2026-02-30', because: 'x', by: 'ops' }, '--until must be a day'],
    ['a day that has passed', { until: '2026-02-28', because: 'x', by: 'ops' }, 'has passed'],
    ['no reason', { until: '2026-03-10', because: ' ', by: 'ops' }, '--because'],
    ['nothing found there', { until: '2026-03-10', because: 'x', by: 'ops' }, 'nothing has drifted'],
  ])('accept refuses %s', async (_, flags, words) => {
    const { run } = await place(sections);
    const { exit, err } = await run(driftAcceptCommand('production.compose.shop', flags, clock));
    expect({ exit, err }).toMatchObject({ exit: 'stopped', err: expect.stringContaining(words) as string });
  });
});
