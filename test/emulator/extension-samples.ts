import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import type { TableName } from '../../src/emulator/tables.ts';
import { addRow, seedWorld, type World } from '../../src/emulator/world.ts';
import { addMembership, addOrganization, addPerson, keyFor } from './people.ts';
import { compared, named, type Sample } from '../support/recorded.ts';

/**
 * Requests beyond the API document that were recorded on the real platform, sent to the emulator: status, kind of body
 * and names of all fields must be the recorded ones, in the words of that platform. Every case is replayed; what differs stands in a table.
 */

const createdAt = '2026-01-01T00:00:00.000Z';
const folder = join(import.meta.dirname, '../fixtures/extension-samples');

/** Ids that the recorded requests of several groups name. */
export const recordedIds = {
  project: 'spdEMp6Uqlxrsdpzw0p23',
  environment: 'Bn6IdBCu-MHTf2QFHfJft',
  application: '3ga2PDrzPNCysdr9hmZnq',
  foreignApplication: '9JvbjAWu0XlLKL27cWA5U',
  compose: 'bKy_FLZi8QJY2uzMYji7A',
};

/** The organization of the objects that the caller may not use. */
export const otherOrganization = '4KR3zFZRNOyhaB0zjnckp';

const { project, environment, application, foreignApplication, compose } = recordedIds;

const rows: readonly [TableName, Row][] = [
  ['project', { projectId: project, name: 'rec', organizationId: 'org_1', createdAt }],
  ['environment', { environmentId: environment, projectId: project, name: 'production', isDefault: true, createdAt }],
  ['application', { applicationId: application, name: 'rec-app', appName: 'rec-app', environmentId: environment }],
  [
    'compose',
    { composeId: compose, name: 'rec-compose', appName: 'rec-compose', environmentId: environment, sourceType: 'raw' },
  ],
  [
    'application',
    { applicationId: foreignApplication, name: 'theirs', appName: 'theirs', environmentId: `env_${otherOrganization}` },
  ],
];

const lists = { accessedProjects: [project], accessedServices: [application, compose] };
const flags = { canCreateServices: true, canDeleteServices: true, canCreateProjects: true, canDeleteProjects: true };

function recordedWorld(more: readonly [TableName, Row][]): World {
  const world = seedWorld();
  addOrganization(world, otherOrganization, 'stranger');
  addRow(world, 'user', { id: 'stranger', email: 'stranger@example.test', createdAt });
  addMembership(world, 'stranger', otherOrganization, { role: 'owner' });
  addPerson(world, 'nobody');
  addPerson(world, 'reader', lists);
  addPerson(world, 'worker', { ...lists, ...flags });
  for (const [table, row] of [...rows, ...more]) addRow(world, table, row);
  return world;
}

/** The key that a case was recorded with. */
function keyOf({ as, case: name }: Sample): string {
  if (as === 'no key') return '';
  if (as === 'key of another organization') return keyFor('stranger', otherOrganization);
  if (as !== 'key of a member') return 'emulator-key';
  if (name.includes('with all flags and access')) return keyFor('worker', 'org_1');
  return keyFor(name.includes('with access') ? 'reader' : 'nobody', 'org_1');
}

/** What a group needs beside its recorded cases. */
interface Recording {
  /** Rows under the ids that were recorded. */
  readonly rows?: readonly [TableName, Row][];
  /** What must happen before a recorded request makes sense, by case. */
  readonly preparations?: Readonly<Record<string, (emulator: Emulator) => Promise<unknown>>>;
  /** Recorded answers that the emulator does not give, with the reason. */
  readonly differences?: Readonly<Record<string, string>>;
}

/** Declares a test for each recorded case of a group. */
export function replays(group: string, { rows: more = [], preparations = {}, differences = {} }: Recording): void {
  const cases = readdirSync(folder)
    .filter((file) => file.startsWith(`${group}.`))
    .toSorted()
    .flatMap((file) =>
      named(file.replace(/\.json$/, ''), JSON.parse(readFileSync(join(folder, file), 'utf8')) as Sample[]),
    );

  describe(`the emulator answers as the platform was recorded to: ${group}`, () => {
    test.each(cases)('%s', async (name, sample) => {
      const emulator = createEmulator({ world: recordedWorld(more), profile: 'dokploy' });
      await preparations[name]?.(emulator);
      const { method, path, body } = sample.request;
      const answer = await emulator.send({
        method,
        path,
        headers: { 'x-api-key': keyOf(sample), 'content-type': 'application/json' },
        body: body === null ? undefined : JSON.stringify(body),
      });
      const { answered, recorded } = compared(answer, sample);
      if (differences[name] === undefined) expect(answered).toEqual(recorded);
      else expect(answered, `${name} was to differ: ${differences[name]}`).not.toEqual(recorded);
    });

    test('every preparation and every difference belongs to a recorded case', () => {
      const names = new Set(cases.map(([name]) => name));
      const used = [...Object.keys(preparations), ...Object.keys(differences)];
      expect(used.filter((name) => !names.has(name))).toEqual([]);
    });
  });
}
