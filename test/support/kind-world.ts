import type { World } from '../../src/emulator/world.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { State } from '../../src/state/state.ts';
import { selfMovingClock } from './virtual-clock.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** A platform with a member whose rights can be changed, and with tags. */
export function worldWithMember(): World {
  const seed = seedWorld();
  Object.assign(seed.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  for (const n of [1, 2]) addRow(seed, 'tag', { tagId: `tag_${n}`, name: `tag-${n}`, organizationId: 'org_1' });
  addRow(seed, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(seed, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  // What is tried is each kind, not a server that nothing reaches.
  return { ...seed, everyServerAnswers: true };
}

/** A bench over such a platform, one that keeps to the API document if asked for, or over a copy of another one, on which the secrets of the examples exist. */
export function kindBench(from?: Beginning, documentedOnly = false): Bench {
  const made = bench({
    keepsManifests: true,
    documentedOnly,
    emulate: { world: from === undefined ? worldWithMember() : structuredClone(from.world) },
    ...(from === undefined ? {} : { clock: selfMovingClock(from.at) }),
  });
  if (from !== undefined) made.store.state = from.state;
  Object.assign(made.secrets, {
    SHOP_DB_PASSWORD: 'correct-horse-1',
    CACHE_PASSWORD: 'correct-horse-1',
    READER_PASSWORD: 'correct-horse-1',
    DEPLOY_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
    SHOP_CERTIFICATE: '-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----\n',
    SHOP_CERTIFICATE_KEY: '-----BEGIN PRIVATE KEY-----\nb25l\n-----END PRIVATE KEY-----\n',
    MODEL_KEY: 'correct-horse-1',
    GIT_CLIENT: 'correct-horse-1',
    GIT_TOKEN: 'correct-horse-1',
    S3_ACCESS_KEY: 'correct-horse-1',
    S3_SECRET_KEY: 'correct-horse-3',
    REGISTRY_PASSWORD: 'correct-horse-1',
    VAULT_TOKEN: 'correct-horse-1',
    DNS_TOKEN: 'correct-horse-1',
    SLACK_WEBHOOK: 'https://hooks.test/correct-horse-1',
  });
  return made;
}

/** A platform and a state that tests begin with. */
interface Beginning {
  readonly world: World;
  readonly state: State | undefined;
  /** Its time, in milliseconds since 1970. */
  readonly at: number;
}

/** The beginnings that tests of one kind have in common, by their manifests. */
const beginnings = new Map<string, Beginning>();

/** A bench on which manifests were applied, one after the other: once, later tests get a copy. */
export async function benchAfter(
  texts: readonly string[],
  apply: (made: Bench, text: string) => Promise<unknown>,
  documentedOnly = false,
): Promise<Bench> {
  const key = JSON.stringify([documentedOnly, ...texts]);
  const known = beginnings.get(key);
  if (known !== undefined) return kindBench(known, documentedOnly);
  const made = kindBench(undefined, documentedOnly);
  for (const text of texts) await apply(made, text);
  const { world } = made.emulator;
  const isAtRest = Object.values(world.tables.deployment).every(({ status }) => status !== 'running');
  if (beginnings.size > 100) beginnings.clear();
  if (isAtRest) beginnings.set(key, { world: structuredClone(world), state: made.store.state, at: made.clock.wall() });
  return made;
}
