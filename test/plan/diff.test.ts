import { howToGive } from '../../src/secrets/sources/env.ts';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { contains } from '../../src/kind/shared-set.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Acceptance } from '../../src/manifest/accepted-drift.ts';
import type { Outputs, Wanted } from '../../src/manifest/wanted.ts';
import type { Difference } from '../../src/plan/diff.ts';
import type { Accepted } from '../../src/plan/find-acceptance.ts';
import { summaryOf, waits } from '../../src/plan/attribute-change.ts';
import { diffResource } from '../../src/plan/diff.ts';
import { project } from '../../src/resources/top/project.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { Pair } from '../../src/state/record.ts';
import {
  anything,
  declared,
  documentedKind,
  here,
  kindNamed,
  lacking,
  makeDigest,
  makeDigests,
  pairOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** How what is wanted of a resource differs from what the platform has. */

const at = 'production.redis.main';
const host = { address: 'production.redis.other', output: 'host' };
const hiddenPair = (text: string): Pair => ({
  wanted: { digest: makeDigest(text) },
  answered: { digest: makeDigest(text) },
});
const value = (content: unknown) => ({ is: 'value', value: content });

interface About extends Partial<Resource> {
  readonly kind?: Kind;
  readonly row?: Row;
  readonly pairs?: Readonly<Record<string, Pair>>;
  readonly isProvided?: boolean;
  readonly outputs?: Outputs;
  readonly nameOf?: (kind: string, id: string) => string | undefined;
  readonly redact?: (text: string) => string;
  /** The acceptance of what the platform has now, or of another value. */
  readonly accepted?: { readonly now?: Accepted; readonly other?: Acceptance };
}

function diff({
  kind = kindNamed('redis'),
  row = {},
  pairs = {},
  isProvided = false,
  outputs = () => undefined,
  nameOf,
  redact = (text) => text,
  accepted = {},
  ...more
}: About): Difference {
  const resource = resourceOf(kind, at, more);
  return diffResource({
    resource,
    row,
    pairs,
    unproven: undefined,
    isProvided,
    awaited: new Set(),
    outputs,
    observed: { nameOf: nameOf ?? (() => undefined) },
    redact,
    digests: makeDigests,
    howToGive,
    values: 'usual',
    accepting: {
      of: () => accepted.now,
      ofAnother: () => accepted.other,
      digests: makeDigests,
      diagnostics: [],
      objectId: 'redis_1',
      isObeyed: true,
    },
  });
}

const inShort = ({ attributes }: Difference) =>
  attributes.map(
    ({ attribute, decision }) =>
      `${decision.do} ${attribute.field}${attribute.key === undefined ? '' : `.${attribute.key}`}`,
  );
const told = ({ diagnostics }: Difference) =>
  diagnostics.map(({ code, message, remedy = '' }) => `${code}: ${message} | ${remedy}`);

describe('drift that a person accepted', () => {
  const acceptance = { until: '2026-12-01', because: 'a hot fix', by: 'ada' };
  const drift = (accepted: NonNullable<About['accepted']>) =>
    told(
      diff({
        fields: { dockerImage: declared('redis:8') },
        row: { dockerImage: 'redis:7' },
        pairs: { dockerImage: pairOf('redis:8') },
        accepted,
      }),
    );
  const remedy = (sentence: string) =>
    `${sentence}: trueup drift accept ${at} --field dockerImage --until DAY --because 'a hot fix'.`;

  test('is left until its day, with the flag that puts the value back now', () => {
    expect(drift({ now: { ...acceptance, over: false } })).toEqual([
      'accepted: dockerImage: ada accepted what the platform has until 2026-12-01: a hot fix | ' +
        'To put the value of the manifest back now: --include-accepted.',
    ]);
  });

  test('is written back after its day, and when it changed once more, with the command that keeps it', () => {
    expect(drift({ now: { ...acceptance, over: true } })).toEqual([
      'acceptance-over: dockerImage: ada accepted what the platform has until 2026-12-01, which has passed; ' +
        `apply puts it back | ${remedy('To keep it for longer')}`,
    ]);
    expect(drift({ other: acceptance })).toEqual([
      'acceptance-over: dockerImage: ada accepted another value until 2026-12-01; the platform has a new one since, ' +
        `and apply writes the one of the manifest | ${remedy('To keep the new one')}`,
    ]);
  });
});

describe('a field', () => {
  test('that is written is a change with its value before, its value after and its position', () => {
    const { attributes, changes, diagnostics } = diff({
      fields: { dockerImage: declared('redis:8') },
      row: { dockerImage: 'redis:7' },
    });
    expect(changes).toStrictEqual([
      {
        path: 'dockerImage',
        cause: 'first managed',
        before: value('redis:7'),
        after: value('redis:8'),
        position: here,
        atDeploy: true,
        forcesReplacement: false,
      },
    ]);
    expect(diagnostics).toEqual([]);
    expect(attributes).toMatchObject([
      { attribute: { field: 'dockerImage' }, decision: { do: 'write' }, pair: undefined },
    ]);
    expect(attributes[0]?.before.reveal()).toBe('redis:7');
  });

  test('hides what the platform has and answered where a secret of the run is in it, and shows what git shows', () => {
    const found = diff({
      fields: { dockerImage: declared('main:8'), command: declared('b') },
      row: { dockerImage: 'in main', command: 'a' },
      pairs: { dockerImage: pairOf('main:7'), command: pairOf('a') },
      redact: (text) => text.replaceAll('main', '(sensitive)'),
    });
    const hidden = { is: 'hidden' };
    expect(found.changes).toMatchObject([
      { path: 'dockerImage', cause: 'conflict', before: hidden, after: value('main:8'), last: hidden },
      { path: 'command', before: value('a'), after: value('b') },
    ]);
  });

  test('that is neither declared nor settled is no attribute', () => {
    expect(diff({ row: { dockerImage: 'redis:7' } })).toEqual({ attributes: [], changes: [], diagnostics: [] });
  });

  test('that is as wanted is an attribute and no change', () => {
    const found = diff({
      fields: { dockerImage: declared('redis:8') },
      row: { dockerImage: 'redis:8' },
      pairs: { dockerImage: pairOf('redis:8') },
    });
    expect(found).toMatchObject({ changes: [], diagnostics: [], attributes: [{ pair: pairOf('redis:8') }] });
  });

  test('that the row lacks has the value null', () => {
    const found = diff({ fields: { dockerImage: declared('redis:8') } });
    expect(found.changes).toMatchObject([{ before: { is: 'absent' } }]);
    expect(found.attributes[0]?.before.reveal()).toBeNull();
  });

  test('with three values shows the one that was settled last', () => {
    const about = { fields: { dockerImage: declared('redis:8') }, pairs: { dockerImage: pairOf('redis:7') } };
    expect(diff({ ...about, row: { dockerImage: 'redis:6' } }).changes).toMatchObject([
      { cause: 'conflict', last: value('redis:7') },
    ]);
    expect(diff({ ...about, row: { dockerImage: 'redis:7' } }).changes[0]).not.toHaveProperty('last');
  });

  test('is redacted when a secret flows into it, or did when it was settled', () => {
    const row = { dockerImage: 'redis:7' };
    const hidden = { is: 'hidden' };
    const now = diff({ fields: { dockerImage: declared('redis:8', true) }, row });
    expect(now.changes).toMatchObject([{ before: hidden, after: hidden }]);
    const once = diff({ fields: { dockerImage: declared('redis:8') }, row, pairs: { dockerImage: hiddenPair('"a"') } });
    expect(once.changes).toMatchObject([{ before: hidden, after: value('redis:8'), last: hidden }]);
  });

  test('with hidden text tells which lines differ', () => {
    const kind = kindNamed('compose');
    const of = (text: string) =>
      diff({ kind, fields: { composeFile: declared(text, true) }, row: { composeFile: 'a\nb\n' } }).changes[0];
    expect(of('a\nc\n')).toMatchObject({ before: { is: 'hidden' }, summary: 'line 2 of 2, before 2' });
    expect(of('c')).not.toHaveProperty('summary');
  });

  test('that only a new object can have forces a replacement, and drops the notes about the old object', () => {
    const about = {
      row: { serverId: 'srv_1', description: 'x' },
      pairs: { serverId: pairOf('srv_1'), description: pairOf('x') },
    };
    const replaced = diff({ ...about, fields: { serverId: declared('srv_2') } });
    expect(replaced.changes).toMatchObject([{ path: 'serverId', forcesReplacement: true }]);
    expect(replaced.diagnostics).toEqual([]);
    const kept = diff({ ...about, fields: { serverId: declared('srv_1') } });
    expect(told(kept)).toEqual(['released: description: is no longer managed and stays as it is | ']);
    expect(kept.diagnostics[0]).toMatchObject({ address: at });
    expect(kept.diagnostics[0]).not.toHaveProperty('position');
    const absent = diff({ ...about, row: { serverId: 'srv_1' }, fields: { serverId: declared('srv_1') } });
    expect(told(absent)).toEqual([
      'released: description: is no longer managed and the platform has no value for it | ',
    ]);
    const refused = diff({
      ...about,
      fields: { serverId: declared('srv_2'), appName: declared('x') },
      row: { ...about.row, appName: 'y-abcdef' },
    });
    expect(refused.diagnostics).toEqual([]);
  });
});

describe('what is said of a field', () => {
  test('that is no longer managed, that the platform ignores, or that keeps its drift', () => {
    const notKept = diff({
      fields: { dockerImage: declared('redis:8') },
      row: { dockerImage: 'redis:7' },
      pairs: { dockerImage: { ...pairOf('redis:8', 'redis:7'), ignored: 2 } },
    });
    expect(notKept.diagnostics).toEqual([
      {
        code: 'ignored',
        severity: 'note',
        message: 'dockerImage: the platform ignored the value',
        remedy: 'Change the value, or leave the line out: Trueup does not write this value again.',
        address: at,
        position: here,
      },
    ]);
    const rewritten = diff({
      fields: { dockerImage: declared('Redis') },
      row: { dockerImage: 'redis' },
      pairs: { dockerImage: pairOf('Redis', 'redis') },
    });
    expect(rewritten).toMatchObject({
      changes: [],
      diagnostics: [],
      attributes: [{ decision: { do: 'nothing', settled: false } }],
    });
    const left = diff({
      fields: { serverId: declared('srv_1') },
      row: { serverId: 'srv_2' },
      pairs: { serverId: pairOf('srv_1') },
    });
    expect(left).toMatchObject({ changes: [], diagnostics: [{ code: 'drift-left', address: at, position: here }] });
    expect(told(left)).toEqual([
      'drift-left: serverId: it was changed on the platform and is left so: only a new object can have another value | ',
    ]);
  });

  test('that cannot be changed: what to write instead, when that is no secret', () => {
    const server = (more: About) => told(diff({ fields: { serverId: declared('srv_1') }, ...more }));
    const message =
      'cannot-change: serverId: the platform has another value, and it cannot be changed: only a new object can have another value';
    expect(server({ row: { serverId: 'srv_2' } })).toEqual([
      `${message} | Write "srv_2", as the platform has it, or leave the line out. To replace the object: write that and apply, then change the line and apply again.`,
    ]);
    expect(server({})).toEqual([`${message} | Write what the platform has, or leave the line out.`]);
    expect(server({ row: { serverId: 'srv_2' }, fields: { serverId: declared('srv_1', true) } })).toEqual([
      `${message} | Write what the platform has, or leave the line out.`,
    ]);
    const conflict = { row: { serverId: 'srv_3' }, pairs: { serverId: hiddenPair('"srv_2"') } };
    expect(server(conflict)).toEqual([
      'cannot-change: serverId: it was changed here and on the platform, and a replacement on such grounds is never automatic | Write what the platform has, or leave the line out.',
    ]);
    const kind = documentedKind('certificate');
    const certificate = diff({ kind, fields: { privateKey: declared('k') }, row: { privateKey: 'other' } });
    expect(told(certificate)[0]).toContain('| Write what the platform has, or leave the line out.');
    expect(certificate.diagnostics[0]).toMatchObject({ address: at, position: here });
  });

  test('that needs a secret: to set it', () => {
    const found = diff({ fields: { dockerImage: lacking('S') } });
    expect(told(found)).toEqual([
      'secret-missing: dockerImage: it needs S, which this run does not have | Set TRUEUP_SECRET_S, or name a source under secrets: that has it.',
    ]);
  });

  test('in conflict, also where something else makes a new object', () => {
    const found = diff({
      fields: { serverId: declared('srv_2'), appName: declared('new') },
      row: { serverId: 'srv_1', appName: 'other-abcdef' },
      pairs: { serverId: pairOf('srv_1'), appName: pairOf('old', 'old-abcdef') },
    });
    expect(found.diagnostics.map(({ code }) => code)).toEqual(['cannot-change']);
  });

  test('of an object that the platform made, where it lets nobody change it', () => {
    const kind = kindNamed('environment');
    const about = {
      kind,
      fields: { name: declared('live'), description: declared('x') },
      row: { name: 'production', description: '' },
    };
    expect(told(diff({ ...about, isProvided: true }))).toEqual([
      'cannot-change: name: the platform has another value, and it cannot be changed: the platform made this object and does not let it be changed | Write "production", as the platform has it, or leave the line out.',
    ]);
    expect(diff(about).diagnostics).toEqual([]);
  });
});

describe('a map', () => {
  const env = (...keys: readonly string[]) => ({ maps: { env: new Map(keys.map((key) => [key, declared('1')])) } });
  const pairs = (...keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [`env["${key}"]`, hiddenPair('"1"')]));

  test('is compared key by key, and a key that is not there is not an empty one', () => {
    const found = diff({ ...env('A', 'B', 'C'), row: { env: 'A=1\nB=2\n' }, pairs: pairs('A', 'B') });
    expect(inShort(found)).toEqual(['nothing env.A', 'write env.B', 'write env.C']);
    expect(found.changes).toMatchObject([
      { path: 'env.B', cause: 'drift', before: { is: 'hidden' }, atDeploy: true },
      { path: 'env.C', cause: 'first managed', before: { is: 'absent' } },
    ]);
    const empty = diff({ maps: { env: new Map([['A', declared('')]]) }, row: { env: null } });
    expect(empty.changes).toMatchObject([{ path: 'env.A', before: { is: 'absent' } }]);
    expect(diff({ maps: { env: new Map([['A', declared('')]]) }, row: { env: 'A=' } }).changes).toEqual([]);
  });

  test('in mode own loses the keys of others', () => {
    const found = diff({ ...env('A'), row: { env: 'A=1\nX=2' } });
    expect(inShort(found)).toEqual(
      ['write env.A', 'remove env.X'].map((line) => line.replace('write env.A', 'nothing env.A')),
    );
    expect(found.changes).toStrictEqual([
      {
        path: 'env.X',
        cause: 'removed',
        before: { is: 'hidden' },
        after: { is: 'absent' },
        atDeploy: true,
        forcesReplacement: false,
      },
    ]);
    expect(found.attributes[1]).toMatchObject({ wanted: undefined, pair: undefined });
    expect(found.attributes[1]?.before.reveal()).toBe('2');
    expect(found.diagnostics).toEqual([]);
  });

  test('in mode merge keeps them, and loses the keys that were managed', () => {
    const found = diff({ ...env('A'), mapMode: 'merge', row: { env: 'A=1\nX=2\nB=1' }, pairs: pairs('A', 'B') });
    expect(inShort(found)).toEqual(['nothing env.A', 'remove env.B']);
    expect(found.attributes[1]?.pair).toEqual(hiddenPair('"1"'));
    expect(found.diagnostics).toEqual([]);
  });

  test('in mode merge reports the keys that stay when it is managed for the first time', () => {
    const first = diff({ ...env('A'), mapMode: 'merge', row: { env: 'A=1\nX=2\nY=3' } });
    expect(told(first)).toEqual(['left-alone: env: keys that are there stay, ours of old among them: X, Y | ']);
    expect(first.diagnostics[0]?.address).toBe(at);
    expect(diff({ ...env('A'), mapMode: 'merge', row: { env: 'A=1' } }).diagnostics).toEqual([]);
    expect(diff({ mapMode: 'merge', row: { env: 'A=1' } }).diagnostics).toEqual([]);
  });

  test('stops managing settled keys that are gone already', () => {
    const found = diff({ ...env('A'), row: { env: 'A=1' }, pairs: pairs('A', 'B') });
    expect(inShort(found)).toEqual(['nothing env.A', 'release env.B']);
  });

  test('written as text now keeps no settled keys; left out, it stops managing them', () => {
    const row = { env: 'A=1' };
    const text = diff({ fields: { env: declared('A=1') }, row, pairs: pairs('A') });
    expect(inShort(text)).toEqual(['nothing env']);
    const gone = diff({ row, pairs: { ...pairs('A'), description: pairOf('x') } });
    expect(inShort(gone)).toEqual(['release description', 'release env.A']);
  });

  test('shows what it removes where nothing secret can be in it', () => {
    const fields = { open: { ...anything, map: kindNamed('redis').fields['env']?.map } as Field };
    const kind = { ...kindNamed('redis'), fields };
    const about = { kind, maps: { open: new Map() }, row: { open: 'X=2' } };
    expect(diff(about).changes).toMatchObject([{ before: value('2'), atDeploy: false }]);
    expect(diff({ ...about, pairs: { 'open["X"]': hiddenPair('"2"') } }).changes).toMatchObject([
      { before: { is: 'hidden' } },
    ]);
    const other = { 'openly["X"]': pairOf('1'), open: pairOf('1'), 'open["X': pairOf('1') };
    expect(inShort(diff({ kind, row: {}, pairs: other }))).toEqual(['release open']);
  });
});

describe('a set that others add to', () => {
  const kind = kindNamed('memberPermissions');
  const projects = (wanted: readonly string[], there: readonly string[], pair?: Pair, isSecret = false) =>
    diff({
      kind,
      mapMode: 'merge',
      fields: { accessedProjects: declared(wanted, isSecret) },
      row: { accessedProjects: there },
      pairs: pair === undefined ? {} : { accessedProjects: pair },
    });

  test('is as it should be when ours are in it', () => {
    const found = projects(['a'], ['x', 'a'], pairOf(['a']));
    expect(found).toMatchObject({ changes: [], diagnostics: [], attributes: [{ field: { codec: contains } }] });
    const first = projects(['a'], ['x', 'a']);
    expect(first).toMatchObject({ changes: [], diagnostics: [], attributes: [{ decision: { settled: true } }] });
  });

  test('is written when declared ids are missing or former ones are left; the plan shows the set after it', () => {
    expect(projects(['a', 'b'], ['a'], pairOf(['a'])).changes).toMatchObject([
      { cause: 'edit', before: value(['a']), after: value(['a', 'b']) },
    ]);
    expect(projects(['a', 'b'], ['x', 'a'], pairOf(['a'])).changes).toMatchObject([{ after: value(['x', 'a', 'b']) }]);
    expect(projects(['a'], ['x', 'a', 'b'], pairOf(['a', 'b'])).changes).toMatchObject([
      { cause: 'edit', before: value(['x', 'a', 'b']), after: value(['x', 'a']) },
    ]);
    expect(projects(['a'], ['b'], pairOf(['a', 'b'])).changes).toMatchObject([
      { cause: 'conflict', after: value(['a']) },
    ]);
    expect(projects(['a'], ['x'], pairOf(['a'])).changes).toMatchObject([{ cause: 'drift', after: value(['x', 'a']) }]);
  });

  test('does not show what came from a secret', () => {
    expect(projects(['a'], ['x'], undefined, true).changes).toMatchObject([{ after: { is: 'hidden' } }]);
  });

  test('reports that ids stay which the state knows as a digest only', () => {
    const hidden = hiddenPair('["a","b"]');
    expect(told(projects(['a'], ['a', 'b'], hidden))).toEqual([
      'left-alone: accessedProjects: ids that came from a secret or the environment and are not declared any more stay | Remove them on the platform, or apply once with accessMode: own.',
    ]);
    expect(projects(['a'], ['a', 'b'], hidden).diagnostics[0]?.address).toBe(at);
    expect(projects(['b', 'a'], ['a', 'b'], hidden).diagnostics).toEqual([]);
    expect(projects(['a'], ['a', 'b'], pairOf(['a', 'b'])).diagnostics).toEqual([]);
    const released = diff({
      kind,
      mapMode: 'merge',
      row: { accessedProjects: ['a'] },
      pairs: { accessedProjects: hidden },
    });
    expect(released.diagnostics.map(({ code }) => code)).toEqual(['released']);
  });

  test('with accessMode own is compared and written as a whole', () => {
    const own = (there: readonly string[], pair: Pair) =>
      diff({
        kind,
        fields: { accessedProjects: declared(['a']) },
        row: { accessedProjects: there },
        pairs: { accessedProjects: pair },
      });
    expect(own(['a', 'x'], pairOf(['a'])).changes).toMatchObject([{ cause: 'drift', after: value(['a']) }]);
    expect(own(['a'], hiddenPair('["b"]'))).toMatchObject({ changes: [], diagnostics: [] });
  });

  test('differs by the members that come or go, whatever the order on the platform', () => {
    const there = ['d', 'b', 'x', 'a', 'c'];
    const wanted = ['a', 'b', 'c'];
    const after = { merge: ['b', 'x', 'a', 'c'], own: ['b', 'a', 'c'] };
    for (const mapMode of ['merge', 'own'] as const) {
      const { changes } = diff({
        kind,
        mapMode,
        fields: { accessedProjects: declared(wanted) },
        row: { accessedProjects: there },
        pairs: { accessedProjects: pairOf([...wanted, 'd']) },
      });
      expect(changes).toMatchObject([{ before: value(there), after: value(after[mapMode]) }]);
    }
  });

  test('M3: shows no id as removed that stays, when another one is known only after apply', () => {
    const pending = (...ids: readonly (string | undefined)[]): Wanted => {
      const items = ids.map((id) =>
        id === undefined ? ({ is: 'text', pieces: [host] } as const) : ({ is: 'value', value: id } as const),
      );
      return { ...referring(host), content: secret({ is: 'list', items }) };
    };
    const shown = (wanted: Wanted, there: readonly string[], pair: Pair) =>
      diff({
        kind,
        mapMode: 'merge',
        fields: { accessedProjects: wanted },
        row: { accessedProjects: there },
        pairs: { accessedProjects: pair },
      }).changes[0]?.after;
    const unknown = '(known after apply)';
    expect(shown(pending('a', undefined), ['x', 'a'], pairOf(['a']))).toEqual({
      is: 'masked',
      value: ['x', 'a', unknown],
    });
    expect(shown(pending(undefined), ['x', 'old'], pairOf(['old']))).toEqual({ is: 'masked', value: ['x', unknown] });
  });

  test('M3: has names on both sides where others stay beside ids that come and go', () => {
    const names: Readonly<Record<string, string>> = { srv_1: 'one', srv_2: 'two', srv_9: 'nine' };
    const found = diff({
      kind,
      mapMode: 'merge',
      fields: { accessedServers: declared(['srv_2']) },
      row: { accessedServers: ['srv_9', 'srv_1', 'srv_8'] },
      pairs: { accessedServers: pairOf(['srv_1']) },
      nameOf: (_kind, id) => names[id],
    });
    expect(found.changes).toMatchObject([
      { before: value(['nine', 'one', 'srv_8']), after: value(['nine', 'srv_8', 'two']) },
    ]);
  });

  test('whose ids are known only after apply is written then', () => {
    const ids = { ...referring(host) };
    const found = diff({
      kind,
      mapMode: 'merge',
      fields: { accessedProjects: ids },
      row: { accessedProjects: ['x'] },
      pairs: { accessedProjects: hiddenPair('["a"]') },
    });
    expect(found).toMatchObject({ changes: [{ after: { is: 'known after apply' } }], diagnostics: [] });
  });
});

test('a change waits for a deployment when its field does, unless it takes effect at once below that parent', () => {
  const field = kindNamed('domain').fields['port'] ?? anything;
  const below = (parent: string) => {
    const link = kindNamed('domain').parents[parent];
    return resourceOf(kindNamed('domain'), at, link === undefined ? {} : { link });
  };
  expect([
    waits(below('compose'), field),
    waits(below('application'), field),
    waits(below('compose'), anything),
  ]).toEqual([true, false, false]);
});

test('a change of private text is summarised when the new text is known', () => {
  const text = { ...anything, secrecy: 'private' } as const;
  expect(summaryOf(text, 'a\n', { is: 'known', value: 'b\n' })).toBe('line 1 of 1, before 1');
  expect(summaryOf({ ...anything, secrecy: 'secret' }, 'a\n', { is: 'known', value: 'b\n' })).toBeUndefined();
  expect(summaryOf(text, 'a\n', { is: 'pending', on: [] })).toBeUndefined();
});

describe('a reference is shown', () => {
  const names = new Map([
    ['destination dst_1', 'eu'],
    ['destination dst_2', 'us'],
    ['tag tag_1', 'live'],
  ]);
  const nameOf = (kind: string, id: string) => names.get(`${kind} ${id}`);

  test('by its name where a list showed that', () => {
    const change = (from: string, to: string) =>
      diff({
        kind: kindNamed('backup'),
        row: { destinationId: from },
        fields: { destinationId: declared(to) },
        pairs: { destinationId: pairOf('dst_1') },
        nameOf,
      }).changes;
    expect(change('dst_1', 'dst_2')).toMatchObject([{ before: value('eu'), after: value('us') }]);
    expect(change('dst_2', 'dst_9')).toMatchObject([{ before: value('us'), after: value('dst_9'), last: value('eu') }]);
  });

  test('by names in a set, and ids where there is no name', () => {
    const { changes } = diff({
      kind: project,
      row: { projectTags: [{ tagId: 'tag_1' }] },
      fields: { tagIds: declared(['tag_1', 'tag_2']) },
      pairs: { tagIds: pairOf(['tag_1']) },
      nameOf,
    });
    expect(changes).toMatchObject([{ before: value(['live']), after: value(['live', 'tag_2']) }]);
  });

  test('by its id without a list, and never other texts by a name', () => {
    const kind = kindNamed('backup');
    const fields = { destinationId: declared('dst_2') };
    expect(
      diff({ kind, row: { destinationId: 'dst_1' }, fields, pairs: { destinationId: pairOf('dst_1') } }).changes,
    ).toMatchObject([{ before: value('dst_1'), after: value('dst_2') }]);
    const prefix = diff({
      kind,
      row: { prefix: 'a/' },
      fields: { prefix: declared('dst_1') },
      pairs: { prefix: pairOf('a/') },
      nameOf,
    });
    expect(prefix.changes).toMatchObject([{ after: value('dst_1') }]);
  });
});

describe('what the platform cannot decrypt', () => {
  const kind = kindNamed('compose');
  const cipher = 'enc:v1:abc';
  const env = (...names: readonly string[]) => ({ env: new Map(names.map((name) => [name, declared('1')])) });

  test('waits for its key, and is reported once, at the first declared value', () => {
    const pairs = { 'env["OLD"]': pairOf('1'), 'env["A"]': pairOf('1') };
    const found = diff({ kind, row: { env: cipher }, maps: env('A', 'B'), pairs });
    expect(inShort(found)).toEqual(['wait env.A', 'wait env.B', 'wait env.OLD']);
    expect(found.attributes.map(({ pair, before }) => [pair, before.reveal()])).toEqual([
      [pairOf('1'), null],
      [undefined, null],
      [pairOf('1'), null],
    ]);
    expect(found.changes).toEqual([]);
    expect(told(found)).toEqual([
      'not-decrypted: env: the platform cannot decrypt the value that it stores, and answers cipher text | Give the platform its old encryption key and restart it. If that key is lost, clear the field there: apply then writes it again.',
    ]);
    expect(found.diagnostics[0]).toMatchObject({ address: at, position: here });
  });

  test('is reported without a place where only the state has it', () => {
    const found = diff({ kind, row: { env: cipher }, pairs: { 'env["OLD"]': pairOf('1') } });
    expect(inShort(found)).toEqual(['wait env.OLD']);
    expect(found.diagnostics[0]).not.toHaveProperty('position');
  });

  test('is not reported where nobody declares it', () => {
    expect(diff({ kind, row: { env: cipher } })).toMatchObject({ attributes: [], diagnostics: [] });
  });

  test.each([
    ['a field', { fields: { buildSecrets: declared('x') }, row: { buildSecrets: cipher } }, 'wait buildSecrets'],
    ['a field of a text of variables', { fields: { env: declared('A=1') }, row: { env: cipher } }, 'wait env'],
  ])('is %s that may hold secrets', (_what, about, decision) => {
    expect(inShort(diff({ kind: kindNamed('application'), ...about }))).toEqual([decision]);
  });

  test('is no field that may show', () => {
    const found = diff({ kind, row: { description: cipher }, fields: { description: declared('x') } });
    expect(inShort(found)).toEqual(['write description']);
  });
});
