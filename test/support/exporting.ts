import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectLayout } from '../../src/export/compose-files.ts';
import type { Exported } from '../../src/export/prove-export.ts';
import { makeExport } from '../../src/export/prove-export.ts';
import type { TerraformState } from '../../src/export/terraform.ts';
import { survey, withChildren } from '../../src/export/survey.ts';
import type { Row } from '../../src/formats/json.ts';
import { madeUpName } from '../../src/kind/value-forms.ts';
import { createReader } from '../../src/observe/reader.ts';
import { patternsFor, rootText } from '../../src/export/root-file.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { readEnvText } from '../../src/formats/env-text.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** Exports, and the worlds that they are compared by. */

/** Exports the platform of a bench in place of the manifest that it has, into a folder which no file is written to. */
export async function exportOf(made: Bench, terraform?: TerraformState): Promise<Exported> {
  return makeExport({
    connection: { ...made.world(), store: bench().store },
    reading: {
      file: 'trueup.yaml',
      kinds: made.world().kinds,
      env: () => undefined,
      secret: () => undefined,
      given: () => undefined,
      addSecret: () => {},
    },
    workspace: await openWorkspace(mkdtempSync(join(tmpdir(), 'trueup-export-'))),
    projectId: 'prj_1',
    terraform,
    present: { addresses: new Map(), taken: new Set() },
    layout: projectLayout(),
    known: undefined,
    managed: new Set(Object.values(made.store.state?.resources ?? {}).flatMap(({ id }) => id ?? [])),
    remembered: () => undefined,
    usedSecrets: { names: new Set(), valueOf: () => undefined },
    rootFor: (included) => rootText({ platform: { emulator: true }, project: 'prj_1', include: patternsFor(included) }),
  });
}

/** A bench over the same platform with the files and the state of an export, and without its secrets. */
export function benchWith(made: Bench, { state }: Exported): Bench {
  const fresh = bench({ emulator: made.emulator, clock: made.clock });
  fresh.store.state = state;
  return fresh;
}

/** The whole row of each object that the platform of a bench has, by id. */
export async function rowsOf(made: Bench): Promise<ReadonlyMap<string, Row>> {
  const { client, kinds } = made.world();
  const { tops } = await survey(createReader(client), kinds, 'prj_1');
  return new Map(tops.flatMap((top) => [...withChildren(top)]).map(({ id, row }) => [id, row]));
}

/** Tables of what a manifest declares. */
const tables = [
  'environment',
  'application',
  'compose',
  'postgres',
  'libsql',
  'mariadb',
  'mongo',
  'mysql',
  'redis',
  'domain',
  'mount',
  'backup',
  'volumeBackup',
  'network',
  'patch',
  'vaultProvider',
  'dnsProvider',
  'organizationRole',
  'organization',
  'member',
  'sshKey',
  'destination',
  'registry',
  'server',
  'notification',
  'certificate',
  'ai',
  'gitProvider',
  'gitea',
  'gitlab',
  'bitbucket',
  'github',
] as const;

/** Members that differ between two worlds that are the same: times, statuses, and what the platform makes up. */
const ignored =
  /^(createdAt2?|updatedAt|lastUsedAt|applicationStatus|composeStatus|refreshToken|uniqueConfigKey|accessToken|expiresAt|github(AppId|InstallationId|Client.*|PrivateKey|WebhookSecret))$/;

const madeUpNames = new RegExp(madeUpName.source.slice(1, -1), 'g');

/** What a platform has, with the names of objects in the place of their ids. */
export function worldOf({ emulator }: Bench): string[] {
  const { tables: all } = emulator.world;
  const rows = tables.flatMap((table) =>
    Object.entries(all[table]).map(([id, row]) => ({ table, id, row: row as Record<string, unknown> })),
  );
  const names = new Map<string, string>();
  const generic = (name: unknown) => String(name).replaceAll(madeUpNames, '*');
  for (const { table, id, row } of rows) {
    const called = [row.name, row.host, row.path, row.filePath, row.mountPath, row.prefix, row.volumeName];
    names.set(id, `<${table} ${called.filter(Boolean).map(generic).join(' ')}>`);
  }
  for (const { row } of rows) {
    const { appName } = row;
    if (typeof appName === 'string') names.set(appName, generic(appName) === '*' ? '*' : `${appName.slice(0, -7)}*`);
  }
  const longest = [...names.keys()].filter((id) => id.length > 5).toSorted((a, b) => b.length - a.length);
  return rows
    .map(({ table, row }) => {
      let text = JSON.stringify(row, (key, value: unknown) => {
        if (ignored.test(key) || value === null || value === '' || (Array.isArray(value) && value.length === 0))
          return undefined;
        if (key === 'certificatePath' || key === 'appName') return madeUpName.test(String(value)) ? undefined : value;
        // An owner may do everything, whatever these say: no export has them.
        if (row.role === 'owner' && /^(can|accessed)[A-Z]/.test(key)) return undefined;
        if (key.startsWith('accessed')) return (value as string[]).map((item) => names.get(item) ?? item).toSorted();
        if (key === 'env' || key === 'buildArgs') return [...readEnvText(String(value))];
        return value;
      });
      for (const id of longest) text = text.replaceAll(JSON.stringify(id).slice(1, -1), names.get(id) ?? '');
      return `${table} ${text}`;
    })
    .toSorted();
}
