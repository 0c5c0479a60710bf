import type { Manifest } from '../../src/manifest/manifest.ts';
import type { World } from '../../src/emulator/world.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** A platform with a member whose rights can be changed. */
export function worldWithMember(): World {
  const seed = seedWorld();
  Object.assign(seed.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  addRow(seed, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(seed, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  return seed;
}

/** The manifests that tests of one kind read again and again. */
const manifests = new Map<string, Promise<Manifest>>();

/** A bench over such a platform, on which the secrets of the examples exist. */
export function kindBench(): Bench {
  if (manifests.size > 500) manifests.clear();
  const made = bench({
    manifests,
    emulate: { world: worldWithMember() },
  });
  Object.assign(made.secrets, {
    SHOP_DB_PASSWORD: 'correct-horse-1',
    CACHE_PASSWORD: 'correct-horse-1',
    DEPLOY_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
    SHOP_CERTIFICATE: '-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----\n',
    SHOP_CERTIFICATE_KEY: '-----BEGIN PRIVATE KEY-----\nb25l\n-----END PRIVATE KEY-----\n',
    MODEL_KEY: 'correct-horse-1',
    GIT_CLIENT: 'correct-horse-1',
    GIT_TOKEN: 'correct-horse-1',
  });
  return made;
}
