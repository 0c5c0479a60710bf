import { describe, expect, test } from 'vitest';
import { flags, safeguards } from '../../src/diagnostics/safeguards.ts';
import type { Safeguard } from '../../src/diagnostics/safeguards.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { everything, notesOf, plansNothing, refusal } from '../support/faults.ts';
import { benchAfter } from '../support/kind-world.ts';
import type { Edit } from './slips.ts';
import { beforeSlips, harmless, slips } from './slips.ts';

/** A person's slips: edits that lose data are refused or ask for a flag, harmless ones ask for nothing. */

const nothing: Permissions = { dataLoss: false, adoption: false };

/** The text of the manifest after some edits. */
function edited(...edits: readonly (Edit['edit'] | undefined)[]): string {
  const manifest = beforeSlips();
  for (const edit of edits) edit?.(manifest.environments.production, manifest);
  return JSON.stringify(manifest);
}

/** A platform on which the manifest was applied. */
async function start({ after, meanwhile }: Edit) {
  const made = await benchAfter(after === undefined ? [edited()] : [edited(), edited(after)], (made, text) =>
    made.apply(text, everything),
  );
  meanwhile?.(made.emulator.world.tables);
  return made;
}

describe('S2, S17, S18: an edit that loses data', () => {
  test.each(slips)('$by: $does', async (slip) => {
    const made = await start(slip);
    const rule: Safeguard = safeguards[slip.by];
    const planned = await made.plan(edited(slip.after, slip.edit));
    made.requests('POST');
    const found = await refusal(made, () => applyPlan(planned, made.world(), { permissions: nothing, connections: 4 }));
    expect(made.requests('POST')).toEqual([]);
    expect([...new Set(found.map(({ code }) => code))]).toContain(rule.code);
    const { permission } = rule;
    if (permission === undefined) {
      expect(obstacles(planned, everything).map(({ code }) => code)).toContain(rule.code);
    } else {
      const about = found.filter(({ code }) => code === rule.code);
      expect(about.filter(({ remedy = '' }) => !remedy.includes(flags[permission]))).toEqual([]);
      expect(obstacles(planned, { ...nothing, [permission]: true })).toEqual([]);
    }
  });

  test('is one of at least 40, and every safeguard against the loss of data stops some', () => {
    expect(slips.length).toBeGreaterThanOrEqual(40);
    expect(new Set(slips.map(({ does }) => does)).size).toBe(slips.length);
    const needed = Object.entries(safeguards).flatMap(([name, { code }]) => (code === 'data-at-risk' ? [name] : []));
    const stopped: ReadonlySet<string> = new Set(slips.map(({ by }) => by));
    expect([...needed, 'protected', 'everything'].filter((name) => !stopped.has(name))).toEqual([]);
  });
});

describe('S2, S17, S18: a harmless edit', () => {
  test.each(harmless)('needs no permission: $does', async (one) => {
    const made = await start(one);
    const text = edited(one.after, one.edit);
    expect(obstacles(await made.plan(text), nothing)).toEqual([]);
    await made.apply(text);
    await plansNothing(made, text);
  });

  test('is one of at least 20', () => {
    expect(harmless.length).toBeGreaterThanOrEqual(20);
  });
});

test('S18: a backup of a protected database that moves to another place is worth a warning', async () => {
  const made = await start({ does: '', edit: () => undefined });
  const moved = (name: string) => (all: ReturnType<typeof beforeSlips>) =>
    Object.assign(all.postgres[name].backups.nightly, { destinationId: 'dst_2', prefix: `${name}-2/` });
  const said = async (name: string) =>
    notesOf(await made.plan(edited(moved(name)))).map(
      ({ code, severity, message }) => `${severity} ${code} ${message}`,
    );
  expect(await said('ledger')).toEqual([
    'warning backup-moves production.postgres.ledger.backups.nightly: the backups in ledger/ stay there, and no new ones are added to them',
    'warning backup-moves production.postgres.ledger.backups.nightly: the backups in dst_1 stay there, and no new ones are added to them',
  ]);
  expect(await said('main')).toEqual([]);
});

test('S18: a destination whose bucket or endpoint changes is worth a warning where protected backups go to it', async () => {
  const offsite = {
    endpoint: 'https://s3.example.com',
    bucket: 'b1',
    accessKey: 'correct-horse-1',
    secretAccessKey: 'correct-horse-2',
  };
  const stored = (name: string) => (all: ReturnType<typeof beforeSlips>, manifest: ReturnType<typeof beforeSlips>) => {
    manifest.destinations = { offsite: { ...offsite } };
    all.postgres[name].backups.nightly.destinationId = '${ref:destinations.offsite.id}';
  };
  const edits: readonly (readonly [object, readonly string[]])[] = [
    [{ bucket: 'b2' }, ['the backups in b1 stay there, and no new ones are added to them']],
    [
      { endpoint: 'https://s4.example.com' },
      ['the backups in https://s3.example.com stay there, and no new ones are added to them'],
    ],
    [
      { bucket: 'b2', endpoint: 'https://s4.example.com' },
      ['the backups in https://s3.example.com stay', 'the backups in b1 stay'],
    ],
    [{ region: 'eu-central-1' }, []],
    [{ accessKey: 'correct-horse-3' }, []],
    [{ additionalFlags: ['--s3-no-check-bucket'] }, []],
  ];
  for (const [name, isProtected] of [
    ['ledger', true],
    ['main', false],
  ] as const) {
    const made = await start({ does: '', edit: () => undefined, after: stored(name) });
    for (const [edit, said] of edits) {
      const text = edited(stored(name), (_, { destinations }) => Object.assign(destinations.offsite, edit));
      const planned = await made.plan(text);
      const found = notesOf(planned).filter(({ code }) => code === 'backup-moves');
      expect(found.map(({ message }) => message)).toEqual(
        isProtected ? said.map((words) => expect.stringContaining(`destinations.offsite: ${words}`)) : [],
      );
      expect(obstacles(planned, nothing)).toEqual([]);
    }
    const text = edited(stored(name), (_, { destinations }) => Object.assign(destinations.offsite, edits[0]?.[0]));
    await made.apply(text);
    await plansNothing(made, text);
  }
});

test('F1: the first deployment of a compose of others asks for the folders that it removes, and later ones do not', async () => {
  const made = await start({ does: '', edit: () => undefined });
  const composeFile = 'services: { web: { image: nginx, volumes: ["./uploads:/srv"] } }';
  const created = { name: 'theirs', environmentId: 'env_prj_1', composeFile, sourceType: 'raw' };
  await made.emulator.act('compose.create', created);
  const { composeId } = Object.values(made.emulator.world.tables.compose).find(({ name }) => name === 'theirs') ?? {};
  await made.emulator.act('compose.update', { composeId, sourceType: 'raw', composeFile });
  await made.emulator.act('compose.deploy', { composeId });
  const text = (level: string) =>
    edited(({ compose }) => (compose.theirs = { source: { type: 'raw', composeFile }, env: { LOG: level } }));
  const asked = async (level: string) =>
    obstacles(await made.plan(text(level)), { dataLoss: false, adoption: true }).map(({ message }) => message);
  expect(await asked('info')).toEqual([
    'to adopt production.compose.theirs puts data at risk: the folder ./uploads, which the deployment removes',
  ]);
  await made.apply(text('info'), everything);
  await plansNothing(made, text('info'));
  expect(await asked('debug')).toEqual([]);
  await made.apply(text('debug'));
  await plansNothing(made, text('debug'));
});
