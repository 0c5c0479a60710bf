import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { WireRequest } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import {
  actionsOf,
  answering,
  applyOver,
  everything,
  failed,
  idOf,
  notesOf,
  plansNothing,
  refusal,
  rowsIn,
  said,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** What may be secret is told to nobody: not by an error that echoes it, not by a remedy, not by a plan in a log. */

const canary = /canary/;

/** An error of the platform that quotes what it was sent. */
function echo(request: WireRequest, members?: readonly string[]) {
  const sent = Object.entries(JSON.parse(request.body ?? '{}') as Row);
  const quoted = sent.filter(([name]) => members === undefined || members.includes(name));
  return failed(`Failed query: ${quoted.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}`);
}

describe('an error that echoes the request shows nothing of', () => {
  const text = production(`    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx, environment: { DB_PASSWORD: canary-Kx85-file } } }" }
        env: "DB_PASSWORD=canary-Kx86-text"
        files: { a.conf: { content: "password=canary-Kx87-content" } }
        backups:
          nightly: { serviceName: web, databaseType: postgres, database: a, schedule: "0 3 * * *", destinationId: dst_1, prefix: a/, metadata: { postgres: { databasePassword: canary-Kx88-password } } }
`);

  test.each([
    ['compose.create', 'composeFile'],
    ['compose.update', 'env'],
    ['mounts.create', 'content'],
    ['backup.create', 'metadata'],
  ])('a field that may hold secrets: %s, %s', async (operation, member) => {
    const made = bench();
    let isSent = false;
    const result = await applyOver(
      made,
      text,
      answering(made, (name, request) => {
        if (name !== operation) return undefined;
        isSent = request.body?.includes('canary') === true;
        return echo(request, [member]);
      }),
    );
    expect(isSent).toBe(true);
    expect(said(result)).toContain(`Failed query: ${member}`);
    expect(said(result)).not.toMatch(canary);
    await made.apply(text);
    await plansNothing(made, text);
  });

  test('a key of env by itself', async () => {
    const made = bench();
    const withKey = production(stack('env: { API_KEY: canary-Kx89-key }'));
    const result = await applyOver(
      made,
      withKey,
      answering(made, (name) => (name === 'compose.update' ? failed('the value canary-Kx89-key is odd') : undefined)),
    );
    expect(said(result)).toContain('the value');
    expect(said(result)).not.toMatch(canary);
    await made.apply(withKey);
    await plansNothing(made, withKey);
  });

  test('a key of another owner that was sent back as read', async () => {
    const made = bench();
    const withKey = (value: string) => production(stack(`envMode: merge, env: { A: "${value}" }`));
    await made.apply(withKey('1'));
    const composeId = idOf(made, 'production.compose.shop');
    await made.emulator.act('compose.update', { composeId, env: 'A=1\nFOREIGN_TOKEN=canary-of-others\n' });
    let isSent = false;
    const result = await applyOver(
      made,
      withKey('2'),
      answering(made, (name, request) => {
        if (name !== 'compose.update') return undefined;
        isSent = request.body?.includes('canary-of-others') === true;
        return echo(request);
      }),
    );
    expect(isSent).toBe(true);
    expect(said(result)).toContain('Failed query');
    expect(said(result)).not.toMatch(canary);
    await made.apply(withKey('2'));
    expect(rowsIn(made, 'compose')[0]?.env).toContain('FOREIGN_TOKEN=canary-of-others');
    await plansNothing(made, withKey('2'));
  });

  test('a member of a whole record that is not declared', async () => {
    const made = bench();
    const backup = (schedule: string, more = '') =>
      production(
        stack(
          `backups: { n: { serviceName: web, databaseType: postgres, database: a, schedule: "${schedule}", destinationId: dst_1, prefix: n/${more} } }`,
        ),
      );
    await made.apply(backup('0 3 * * *', ', metadata: { postgres: { databasePassword: canary-of-metadata } }'));
    // A new process does not know it any more.
    const later = bench({ emulator: made.emulator, clock: made.clock });
    later.store.state = structuredClone(made.store.state);
    await later.apply(backup('0 3 * * *'));
    let isSent = false;
    const result = await applyOver(
      later,
      backup('0 4 * * *'),
      answering(later, (name, request) => {
        if (name !== 'backup.update') return undefined;
        isSent = request.body?.includes('canary-of-metadata') === true;
        return echo(request);
      }),
    );
    expect(isSent).toBe(true);
    expect(said(result)).toContain('Failed query');
    expect(said(result)).not.toMatch(canary);
    await later.apply(backup('0 4 * * *'));
    await plansNothing(later, backup('0 4 * * *'));
  });
});

describe('a value that the platform could not decrypt is not sent back', () => {
  test('from inside a record', async () => {
    const made = bench();
    const backup = (schedule: string) =>
      production(
        stack(
          `backups: { n: { serviceName: web, databaseType: postgres, database: a, schedule: "${schedule}", destinationId: dst_1, prefix: n/ } }`,
        ),
      );
    await made.apply(backup('0 3 * * *'));
    made.requests('POST');
    const result = await applyOver(made, backup('0 4 * * *'), async (request) => {
      const answer = await made.emulator.send(request);
      const cipher = '"metadata":{"postgres":{"databasePassword":"enc:v1:abc"}}';
      return { ...answer, body: answer.body.replace('"metadata":null', cipher) };
    });
    expect(said(result)).toContain('could not decrypt metadata');
    expect(made.requests('POST')).toEqual([]);
    await made.apply(backup('0 4 * * *'));
    await plansNothing(made, backup('0 4 * * *'));
  });
});

describe('a plan', () => {
  const withName = production(database('', 'main', '"${secret:N}"'));

  test('shows no value that a secret flowed into, neither in a message nor in a remedy', async () => {
    const made = bench();
    made.secrets.N = 'canary-old-name';
    await made.apply(withName);
    made.secrets.N = 'canary-new-name';
    for (const state of [made.store.state, undefined]) {
      made.store.state = state;
      const planned = await made.plan(withName);
      expect(JSON.stringify([planned.actions.map(({ changes }) => changes), notesOf(planned)])).not.toMatch(canary);
    }
    const found = await refusal(made, () => made.apply(withName, everything));
    expect(found).toMatchObject([
      { code: 'cannot-change', remedy: expect.stringContaining('Write what the platform has') as string },
    ]);
    expect(JSON.stringify(found)).not.toMatch(canary);
  });

  test('shows values without a secret in a remedy', async () => {
    const made = bench();
    await made.apply(production(database('', 'main', 'old')));
    made.store.state = undefined;
    const found = await refusal(made, () => made.apply(production(database('', 'main', 'new')), everything));
    expect(found[0]?.remedy).toContain('Write "old"');
  });

  test('holds the rows of the platform, and neither inspecting nor serializing it shows them', async () => {
    const made = bench();
    made.secrets.N = 'canary-name';
    await made.apply(withName);
    const planned = await made.plan(withName);
    expect([...planned.observed.objects.values()].some(({ row }) => row.databaseName === 'canary-name')).toBe(true);
    expect(inspect(planned, { depth: 12 })).not.toMatch(canary);
    expect(JSON.stringify([planned, [...planned.observed.objects]])).not.toMatch(canary);
    await plansNothing(made, withName);
  });

  test('without a secret of an earlier run leaves its field as it is, also with an edit beside it', async () => {
    const made = bench();
    made.secrets.S = 'canary-secret';
    const text = (host: string) => production(stack(`env: { U: "pg://\${secret:S}@${host}", V: "1" }`));
    await made.apply(text('one'));
    delete made.secrets.S;
    expect(actionsOf(await made.plan(text('one')))).toEqual([]);
    await made.apply(text('one').replace('V: "1"', 'V: "2"'));
    expect(rowsIn(made, 'compose')[0]?.env).toContain('canary-secret@one');
    expect(rowsIn(made, 'compose')[0]?.env).toContain('V=2');
    await plansNothing(made, text('one').replace('V: "1"', 'V: "2"'));
  });
});
