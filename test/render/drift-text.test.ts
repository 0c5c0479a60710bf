import { expect, it } from 'vitest';
import type { DriftInput } from '../../src/drift/drift-document.ts';
import { driftDocument } from '../../src/drift/drift-document.ts';
import type { Finding } from '../../src/drift/finding.ts';
import { lineOf } from '../../src/drift/remedies.ts';
import { columnsOf } from '../../src/render/columns.ts';
import type { DriftDocument } from '../../src/render/document-schemas.ts';
import { renderDrift } from '../../src/render/drift-text.ts';
import { printed } from '../../src/render/printable.ts';
import { plainStyle } from '../../src/render/style.ts';

const value = (text: string) => ({ is: 'value', value: text }) as const;
const shop = { address: 'production.compose.shop', kind: 'compose', objectId: 'cmp_1' };

const region: Finding = {
  ...shop,
  id: 'a',
  is: 'drifted',
  path: 'env.REGION',
  status: 'new',
  since: '2026-03-03',
  applied: value('eu-1'),
  platform: value('eu-2'),
  manifest: value('us-1'),
  edited: true,
  flapping: { changes: 4, since: '2026-03-01' },
  position: { file: 'trueup.yaml', line: 8, column: 9 },
};

function viewOf(findings: readonly Finding[], more: Partial<DriftInput['drift']> = {}): DriftDocument {
  return driftDocument({
    drift: {
      plan: { actions: [], observed: { unlisted: [], objects: new Map() } },
      findings,
      resolved: [],
      ignored: [],
      exitCode: 2,
      memory: { location: 'drift.yaml', isUpdated: true },
      diagnostics: [],
      ...more,
    },
    counts: { reads: 4, writes: 0 },
    about: { platform: 'emulator', project: { id: 'prj_1' }, state: { location: '.trueup/state.json', serial: 3 } },
    isFull: false,
    command: (command) => {
      const { words, flags } = lineOf(command);
      return ['trueup', ...words, ...flags].join(' ');
    },
  });
}

const accepted = { until: '2026-03-31', because: 'the vendor moves us to another region', by: 'ops' };

const several: readonly Finding[] = [
  region,
  {
    ...shop,
    id: 'b',
    is: 'drifted',
    path: 'env.TOKEN',
    status: 'new',
    platform: { is: 'hidden' },
    manifest: { is: 'hidden' },
    isSecret: true,
  },
  {
    id: 'c',
    is: 'missing',
    address: 'production.redis.cache',
    kind: 'redis',
    objectId: 'red_1',
    status: 'known',
    since: '2026-02-01',
    summary: 'with 2 below it',
  },
  {
    id: 'd',
    is: 'unmanaged',
    kind: 'redis',
    objectId: 'red_2',
    name: 'legacy',
    status: 'expired',
    accepted: { ...accepted, until: '2026-02-28' },
  },
  {
    ...shop,
    id: 'e',
    is: 'drifted',
    path: 'replicas',
    status: 'accepted',
    applied: value('1'),
    platform: value('3'),
    manifest: value('1'),
    accepted,
  },
  {
    ...shop,
    id: 'f',
    is: 'not yet applied',
    path: 'env.LEVEL',
    status: 'not yet applied',
    platform: value('info'),
    manifest: value('debug'),
  },
];

it('says the counts first, then what is new, and the commands that deal with it', () => {
  const resolved = [{ ...shop, id: 'g', is: 'drifted', field: 'env.X', since: '2026-01-01' }] as const;
  expect(renderDrift(viewOf(several, { resolved }), 'trueup apply', { ...plainStyle, width: 80 }))
    .toMatchInlineSnapshot(`
    "platform  the embedded emulator
    project   prj_1
    state     .trueup/state.json, version 3

    New drift: 2 new, 1 expired, 1 known, 1 accepted, 1 not yet applied, 1 resolved.
    drift: last applied -> on the platform; not yet applied: on the platform -> in
    the manifest

    New (2)
      production.compose.shop  trueup.yaml:8
        env.REGION: eu-1 -> eu-2
          The manifest has a third value, not yet applied: us-1.
          changed 4 times since 2026-03-01: find out who changes it back before
            you repair it
        ~ env.TOKEN: (sensitive; changed on the platform)

    Accepted until a day that has passed (1)
      redis red_2
        on the platform only: redis legacy (red_2); neither the manifest nor the
          state names it
          was accepted until 2026-02-28 by ops: the vendor moves us to another
            region

    Known (1)
      production.redis.cache
        gone from the platform (redis red_1), with 2 below it
          known since 2026-02-01

    Accepted (1)
      production.compose.shop
        replicas: "1" -> "3"
          accepted until 2026-03-31 by ops: the vendor moves us to another region

    Not yet applied (1)
      production.compose.shop
        env.LEVEL: info -> debug

    Resolved (1)
      production.compose.shop env.X

    What to do about production.compose.shop env.REGION:
      write what the manifest says:
        trueup apply --target production.compose.shop
      keep what the platform has:
        trueup drift adopt production.compose.shop --field env.REGION
      leave it for now:
        trueup drift accept production.compose.shop --field env.REGION --until DATE --because TEXT

    What to do about production.compose.shop env.TOKEN:
      put it back:
        trueup apply --target production.compose.shop
      keep what the platform has: write it into the manifest by hand, because
        it is or holds a secret.
      leave it for now:
        trueup drift accept production.compose.shop --field env.TOKEN --until DATE --because TEXT

    What to do about redis red_2:
      take it into the manifest:
        trueup export --unmanaged
      delete it on the platform.
      leave it for now:
        trueup drift accept red_2 --until DATE --because TEXT

    To apply what is not yet applied:
      trueup apply

    Remembered in drift.yaml.
    compared with 4 reads, 0 writes
    "
  `);
});

it('fits into 80 columns, but for commands that are there to be copied', () => {
  const long = 'a-name-that-goes-on-and-on-'.repeat(8);
  const findings = several.map((one) => ({ ...one, name: long, summary: `moved below ${long}` }));
  const lines = renderDrift(viewOf(findings), 'trueup apply', { ...plainStyle, width: 80 }).split('\n');
  expect(lines.filter((line) => columnsOf(line) > 80 && !line.trim().startsWith('trueup '))).toEqual([]);
});

it('says that there is no drift', () => {
  const text = renderDrift(
    viewOf([], { exitCode: 0, memory: { location: 'drift.yaml', isUpdated: false } }),
    'trueup apply',
    plainStyle,
  );
  expect(text).toContain('No drift: the platform is as it was applied.\n\ncompared with 4 reads, 0 writes\n');
});

it('explains no arrow where it shows none', () => {
  const gone = several.find(({ is }) => is === 'missing');
  expect(renderDrift(viewOf(gone === undefined ? [] : [gone]), 'trueup apply', plainStyle)).not.toContain('->');
});

it('shows the third value in its unit too', () => {
  const amount = (bytes: string) => value(bytes);
  const sides = { applied: amount('268435456'), platform: amount('1073741824'), manifest: amount('805306368') };
  const limit: Finding = { ...region, path: 'memoryLimit', unit: 'bytes', ...sides };
  const text = renderDrift(viewOf([limit]), 'trueup apply', plainStyle);
  expect(text).toContain('memoryLimit: 256Mi -> 1Gi');
  expect(text).toContain('The manifest has a third value, not yet applied: 768Mi.');
});

it('shows a secret part that three sides have with one word', () => {
  const url = (part: string, host = 'db') => ({ is: 'masked', value: `redis://:${part}@${host}` }) as const;
  const sides = {
    applied: url('(sensitive)'),
    platform: url('(sensitive)', 'other'),
    manifest: url('(sensitive, changed)'),
  };
  const text = renderDrift(viewOf([{ ...region, ...sides }]), 'trueup apply', plainStyle);
  expect(text).toContain('The manifest has a third value, not yet applied: redis://:(sensitive)@db.');
  const { edited: _, ...drifted } = { ...region, ...sides, applied: { is: 'hidden' } as const };
  expect(renderDrift(viewOf([drifted]), 'trueup apply', plainStyle)).toContain(
    'env.REGION: redis://:(sensitive)@db -> redis://:(sensitive)@other\n',
  );
});

it('lets no name, reason or value command a terminal or a runner', () => {
  const hostile = 'x\u001B[2J\n::error::pwned ##[error]\u202E';
  const one: Finding = {
    id: 'h',
    is: 'unmanaged',
    address: hostile,
    kind: 'redis',
    objectId: hostile,
    name: hostile,
    summary: hostile,
    status: 'accepted',
    accepted: { until: '2026-03-31', because: hostile, by: hostile },
  };
  const field: Finding = {
    ...region,
    address: hostile,
    path: hostile,
    platform: value(hostile),
    manifest: value(hostile),
  };
  const text = printed(renderDrift(viewOf([one, { ...one, status: 'new' }, field]), 'trueup apply', plainStyle));
  for (const command of ['\u001B', '\u202E', '\n::error', '##[']) expect(text).not.toContain(command);
});
