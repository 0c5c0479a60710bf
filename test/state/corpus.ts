import { readdirSync, readFileSync } from 'node:fs';
import type { Deploys, StateRecord } from '../../src/state/record.ts';
import type { State } from '../../src/state/state.ts';
import { withNextKey } from '../../src/state/digests.ts';
import { testKey } from '../support/state-key.ts';

/**
 * Every form that a state was ever written in, each with the journal of a run that did not end, as the Trueup of that
 * time wrote them. They are never changed; a new form gets a folder of its own.
 */
export const folder = new URL('../fixtures/states/', import.meta.url);

/** The names of the forms, the oldest first. */
export const forms = readdirSync(folder).toSorted();

/** Whether a form can say all that can be open at the platform. */
const isNewest = (form: string) => ['8-pending', '9-sealed', '9-values'].includes(form);

/** The forms that are kept as files only: the other locations hold the same records. */
const localForms = ['9-values'];

/** The forms for all locations. */
export const commonForms = forms.filter((form) => !localForms.includes(form));

/** The forms with a MAC, which depends on the location; `at` names the file with what stands there. */
export const sealedForms = ['9-sealed'];

/** What a sealed form has in a database, or in a bucket. */
export function sealedAt(form: string, at: 'postgres' | 's3'): unknown {
  return JSON.parse(readFileSync(new URL(`${form}/${at}.json`, folder), 'utf8'));
}

/** What a form has in its journal: the state it begins with, and one wave per line, as JSON. */
export function journalOf(form: string): { readonly base: unknown; readonly waves: readonly (readonly unknown[])[] } {
  const lines = readFileSync(new URL(`${form}/state.journal`, folder), 'utf8')
    .trimEnd()
    .split('\n');
  // The first forms had no checksums, and one record per line.
  const [base, ...waves] = lines.map((line) => JSON.parse(line.replace(/^[0-9a-f]{8} /, '')) as unknown);
  const waveOf = (line: unknown) => {
    if (Array.isArray(line)) return line as unknown[];
    const { address, record } = line as { address: unknown; record: unknown };
    return [[address, record]];
  };
  return { base, waves: waves.map(waveOf) };
}

/** What is open, or may be, at the platform. */
type Open = Pick<StateRecord, 'pending' | 'duplicates'> & { readonly deploys?: Deploys };

const main = 'production.redis.main';
const fresh = 'production.redis.new';
const open = 'production.redis.open';

const then = { at: 1_760_000_000_000, timeoutMs: 60_000 };
const later = { at: 1_790_000_000_000, timeoutMs: 60_000 };
const key = { name: 'main' };
const says = { name: { value: 'open' }, databasePassword: { digest: 'sha256:cc' } };
const stale = { code: true, saved: { inputs: 'sha256:ee', newest: null } } as const;
const deploying: Open = {
  deploys: {
    inputs: 'sha256:dd',
    stale,
    pending: { ...later, mark: 'trueup-abc', inputs: 'sha256:ee', newest: 'dep_1', isAnswered: true, id: 'dep_2' },
  },
};
const duplicates = [{}];
const twice: Readonly<Record<string, Open>> = {
  [main]: { duplicates, deploys: { inputs: 'd1' } },
  [fresh]: { duplicates },
  [open]: { duplicates, pending: { is: 'create', ...then, key, says: {}, sends: 2 } },
};
const places = [{ key, below: 'env_prj_1' }, { key: { name: 'older' } }];
const anywhere = [{ key, below: 'env_prj_1' }, {}];

const pending: Readonly<Record<string, Open>> = {
  [main]: { duplicates: anywhere, ...deploying },
  [fresh]: { duplicates: anywhere, pending: { is: 'write', ...later } },
  [open]: { pending: { is: 'create', ...later, key, below: 'env_prj_1', says, sends: 1 } },
  'certificates.chosen': { pending: { is: 'create', ...later, says, sends: 1 } },
  'production.redis.busy': {
    deploys: { stale: {}, pending: { ...later, mark: 'trueup-def', inputs: 'sha256:ff', newest: null } },
    // It had no time of its own.
    pending: { is: 'write', ...later },
  },
};

/** What each form says of what is open, in the words of today. */
const opens: Readonly<Record<string, Readonly<Record<string, Open>>>> = {
  '1-first': {},
  '2-deployments': {
    [main]: {
      deploys: {
        inputs: 'd1',
        stale: { code: true, saved: { inputs: 'd2', newest: null } },
        pending: { ...then, mark: 'm', inputs: 'd2', newest: null },
      },
    },
    [fresh]: { deploys: { stale: {} } },
  },
  '3-intents': {
    [main]: { deploys: { inputs: 'd1' } },
    [fresh]: { deploys: { stale: {} } },
    [open]: { pending: { is: 'create', ...then, key: { name: 'main', port: null }, says: {}, sends: 1 } },
  },
  '4-twins': twice,
  '5-checksums': twice,
  '6-sent': {
    [main]: { duplicates, ...deploying },
    [fresh]: { duplicates },
    [open]: { duplicates, pending: { is: 'create', ...then, key, says, sends: 2 } },
  },
  '7-places': {
    [main]: { duplicates: places, ...deploying },
    [fresh]: { duplicates: places },
    [open]: {
      duplicates: places,
      pending: { is: 'create', ...then, key, below: 'env_prj_1', says, sends: 2 },
    },
  },
  '8-pending': pending,
  '9-sealed': pending,
  '9-values': pending,
};

/** The state that every Trueup reads of a form, with its journal. */
export function stateOf(form: string): State {
  const ids: Readonly<Record<string, string | null>> = {
    production: 'env_prj_1',
    [main]: 'rds_1',
    [fresh]: 'rds_3',
    [open]: null,
    ...(isNewest(form) ? { 'certificates.chosen': 'crt_1', 'production.redis.busy': 'rds_4' } : {}),
  };
  const [wanted, answered] = [{ digest: 'sha256:aa' }, { digest: 'sha256:bb' }];
  const env =
    form === '9-values'
      ? { wanted: { ...wanted, secretLines: [0, 2] }, answered: { ...answered, secretLines: [] } }
      : { wanted, answered };
  const records = Object.entries(ids).map(([address, id]) => {
    const isTop = address === 'production';
    const record = {
      kind: isTop ? 'environment' : 'redis',
      id,
      parent: isTop ? null : 'production',
      dependsOn: isTop ? [] : ['production'],
      pairs: {
        name: { wanted: { value: 'main' }, answered: { value: 'main' } },
        'env["REGION"]': {
          ...env,
          ignored: isNewest(form) ? 2 : 1,
        },
        port: { wanted: { value: 8080 }, answered: { value: null } },
      },
      options: { protect: true, deploy: 'never' },
    };
    const born = ['9-sealed', '9-values'].includes(form) && isTop ? { bornAt: 'staging' } : {};
    const { deploys: _, ...open } = opens[form]?.[address] ?? {};
    return [address, { ...record, ...born, ...open }];
  });
  const state: State = {
    formatVersion: 4,
    lineage: '6f1c1a52-0f5e-4b53-9f0a-2b1f4a9c7d10',
    serial: 3,
    keyNumber: 0,
    organizationId: 'org_1',
    projectId: 'prj_1',
    resources: Object.fromEntries(records),
    deployments: Object.fromEntries(
      Object.entries(opens[form] ?? {}).flatMap(([address, { deploys }]) =>
        deploys === undefined ? [] : [[address, deploys] as const],
      ),
    ),
  };
  return withNextKey(state, testKey, 'a2V5LW9mLXRoZS1kaWdlc3Rz');
}

/** A record without anything open, in the words of format 1. */
export function formerly({ pairs, ...record }: StateRecord): object {
  const former = Object.entries(pairs).map(([name, { ignored, ...pair }]) => [
    name,
    ignored === undefined ? pair : { ...pair, kept: false },
  ]);
  return { ...record, pairs: Object.fromEntries(former) };
}
