import { describe, expect, test } from 'vitest';
import type { Safeguard } from '../../src/diagnostics/safeguards.ts';
import { flags, safeguards } from '../../src/diagnostics/safeguards.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { idOf, plansNothing, refusal } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import type { Step, Tree, Walk } from './walks.ts';
import {
  byHand,
  cache,
  certificate,
  database,
  destroying,
  domain,
  importing,
  key,
  killed,
  losing,
  manifest,
  moving,
  noFlags,
  organization,
  production,
  remembered,
  removing,
  stack,
  stacks,
  take,
  targeting,
  textOf,
  web,
} from './walks.ts';

/** Guards that never cry wolf: ordinary walks need no flag, and those that lose something name the flag that fits. */

const shop = production({ compose: { shop: stack() } });
const shopAndKey = production({ compose: { shop: stack() } }, { sshKeys: { deploy: key() } });
const onlyKey = production({}, { sshKeys: { deploy: key() } });
const three = production({ compose: stacks(3) });
const full = production(
  {
    postgres: { main: database() },
    redis: { cache: cache() },
    application: { web: web({ domains: { 'web.example.com': { port: 80 } } }) },
    compose: { shop: stack('1', { domains: { 'shop.example.com': domain() }, env: { REGION: 'eu' } }) },
  },
  { sshKeys: { deploy: key() }, certificates: { shop: certificate() }, ...organization },
);
const moved = (...pairs: readonly (readonly [string, string])[]) => ({
  moved: pairs.map(([from, to]) => ({ from, to })),
});
const imported = remembered('production.compose.shop');
const cached = remembered('production.redis.cache');
const keyed = remembered('sshKeys.deploy');

const ordinary: readonly Walk[] = [
  // A first apply in several steps
  { does: 'adds the first service to an empty environment', steps: [production(), shop] },
  { does: 'adds the first service beside a key', steps: [onlyKey, shopAndKey] },
  {
    does: 'adds the first service beside a certificate',
    steps: [
      production({}, { certificates: { shop: certificate() } }),
      production({ compose: { shop: stack() } }, { certificates: { shop: certificate() } }),
    ],
  },
  {
    does: 'adds the first service beside the settings of the organization',
    steps: [production({}, organization), production({ compose: { shop: stack() } }, organization)],
  },
  {
    does: 'adds the first database after an environment with variables',
    steps: [
      production({ env: { REGION: 'eu' } }),
      production({ env: { REGION: 'eu' }, postgres: { main: database() } }),
    ],
  },
  {
    does: 'adds the first service and leaves the settings of the organization out',
    steps: [production({}, organization), shop],
  },
  { does: 'applies a key alone as a target, and then everything', steps: [targeting(full, 'sshKeys.deploy'), full] },
  {
    does: 'applies a certificate as a target, and then everything',
    steps: [targeting(full, 'certificates.shop'), full],
  },
  {
    does: 'applies an environment as a target, and then everything',
    steps: [
      targeting(
        manifest({ production: { compose: { shop: stack() } }, staging: { compose: { shop: stack() } } }),
        'staging',
      ),
      manifest({ production: { compose: { shop: stack() } }, staging: { compose: { shop: stack() } } }),
    ],
  },
  {
    does: 'applies a service as a target, and then everything',
    steps: [targeting(full, 'production.compose.shop'), full],
  },
  {
    does: 'applies each part as a target',
    steps: [
      targeting(full, 'sshKeys.deploy'),
      targeting(full, 'production.redis.cache'),
      targeting(full, 'production.compose.shop'),
      full,
    ],
  },
  {
    does: 'applies a new service as a target while the old ones left the file, and puts those back',
    steps: [
      three,
      targeting(shop, 'production.compose.shop'),
      production({ compose: { shop: stack(), ...stacks(3) } }),
    ],
  },
  {
    does: 'moves from keys to services in a target before it applies all',
    steps: [onlyKey, targeting(shopAndKey, 'production.compose.shop'), shopAndKey],
  },
  // A killed first apply
  ...[1, 2, 3, 4, 5, 6].map((writes): Walk => ({
    does: `is killed in the first apply after ${writes} writes, and applies again`,
    steps: [killed(full, writes), full],
  })),
  {
    does: 'is killed in the first apply, and reduces the manifest to its keys',
    steps: [
      killed(full, 2),
      production({}, { sshKeys: { deploy: key() }, certificates: { shop: certificate() }, ...organization }),
    ],
  },
  { does: 'is killed twice', steps: [killed(full, 2), killed(full, 3), full] },
  // Reverts
  { does: 'reverts the commit with the first service', steps: [onlyKey, shopAndKey, onlyKey] },
  { does: 'reverts the first service of an empty environment', steps: [production(), shop, production()] },
  {
    does: 'reverts two services, and takes the revert back',
    steps: [production({ compose: stacks(1) }), three, production({ compose: stacks(1) }), three],
  },
  { does: 'reverts a change of an image', steps: [shop, production({ compose: { shop: stack('2') } }), shop] },
  {
    does: 'reverts the settings of the organization',
    steps: [shop, production({ compose: { shop: stack() } }, organization), shop],
  },
  // Names
  {
    does: 'renames the project on the platform',
    steps: [shop, byHand('project.update', () => ({ projectId: 'prj_1', name: 'store' })), shop],
  },
  {
    does: 'writes the name of the project in place of its id',
    steps: [
      shop,
      byHand('project.update', () => ({ projectId: 'prj_1', name: 'store' })),
      { ...shop, project: 'store' },
    ],
  },
  {
    does: 'renames a service with moved:',
    steps: [
      shop,
      production({ compose: { store: stack() } }, moved(['production.compose.shop', 'production.compose.store'])),
    ],
  },
  {
    does: 'renames every service with moved:',
    steps: [
      three,
      production(
        { compose: stacks(3, 3) },
        moved(
          ['production.compose.s0', 'production.compose.s3'],
          ['production.compose.s1', 'production.compose.s4'],
          ['production.compose.s2', 'production.compose.s5'],
        ),
      ),
    ],
  },
  {
    does: 'renames a service, and removes the entry of moved: later',
    steps: [
      shop,
      production({ compose: { store: stack() } }, moved(['production.compose.shop', 'production.compose.store'])),
      production({ compose: { store: stack() } }),
    ],
  },
  {
    does: 'renames a database with moved:',
    steps: [
      production({ postgres: { main: database() } }),
      production(
        { postgres: { primary: database() } },
        moved(['production.postgres.main', 'production.postgres.primary']),
      ),
    ],
  },
  {
    does: 'renames an environment with moved:',
    steps: [
      manifest({ production: {}, staging: { compose: stacks(2) } }),
      manifest({ production: {}, preview: { compose: stacks(2) } }, moved(['staging', 'preview'])),
    ],
  },
  {
    does: 'moves a service to another environment',
    steps: [
      manifest({ production: { compose: { shop: stack() } }, staging: {} }),
      manifest(
        { production: {}, staging: { compose: { shop: stack() } } },
        moved(['production.compose.shop', 'staging.compose.shop']),
      ),
    ],
  },
  {
    does: 'renames a service with trueup state mv',
    steps: [
      shop,
      moving('production.compose.shop', 'production.compose.store'),
      production({ compose: { store: stack() } }),
    ],
  },
  {
    does: 'renames the key of an SSH key with moved:',
    steps: [onlyKey, production({}, { sshKeys: { main: key() }, ...moved(['sshKeys.deploy', 'sshKeys.main']) })],
  },
  {
    does: 'gives the name of a service on the platform beside its key',
    steps: [shop, production({ compose: { shop: stack('1', { name: 'shop front' }) } })],
  },
  // Keys and owners
  {
    does: 'exchanges the pair of an SSH key',
    steps: [shopAndKey, production({ compose: { shop: stack() } }, { sshKeys: { deploy: key('two') } })],
  },
  {
    does: 'gets another owner of the organization',
    steps: [full, byHand('organization.update', () => ({ organizationId: 'org_1', name: 'Organization' })), full],
  },
  {
    does: 'rotates the password of a cache',
    steps: [
      production({ redis: { cache: cache() } }),
      production({ redis: { cache: cache({ databasePassword: 'battery-staple-1' }) } }),
    ],
  },
  {
    does: 'rotates a password that a stack holds too',
    steps: [
      production({ compose: { shop: stack('1', { env: { PASSWORD: 'one' } }) } }),
      production({ compose: { shop: stack('1', { env: { PASSWORD: 'two' } }) } }),
    ],
  },
  // Environments
  {
    does: 'adds an environment',
    steps: [shop, manifest({ production: { compose: { shop: stack() } }, staging: { compose: { shop: stack() } } })],
  },
  {
    does: 'removes an environment with one service',
    steps: [manifest({ production: { compose: { shop: stack() } }, staging: { compose: { shop: stack() } } }), shop],
  },
  {
    does: 'removes an empty environment',
    steps: [manifest({ production: { compose: { shop: stack() } }, staging: {} }), shop],
  },
  {
    does: 'empties an environment beside another one',
    steps: [
      manifest({ production: { compose: { shop: stack() } }, staging: { compose: stacks(3) } }),
      manifest({ production: { compose: { shop: stack() } }, staging: {} }),
    ],
  },
  { does: 'empties the only environment of its one service', steps: [shop, production()] },
  { does: 'empties the only environment beside a key', steps: [shopAndKey, onlyKey] },
  {
    does: 'fills an environment again that was empty',
    steps: [shop, production(), production({ compose: { store: stack() } })],
  },
  // The state
  {
    does: 'removes a service from the state and imports it',
    steps: [
      shop,
      imported.note,
      removing('production.compose.shop'),
      importing(shop, 'production.compose.shop', imported.id),
      shop,
    ],
  },
  {
    does: 'removes the only service from the state beside a key, and imports it',
    steps: [
      shopAndKey,
      imported.note,
      removing('production.compose.shop'),
      importing(shopAndKey, 'production.compose.shop', imported.id),
      shopAndKey,
    ],
  },
  {
    does: 'removes a service from the state and adopts it',
    steps: [shopAndKey, removing('production.compose.shop'), shopAndKey],
  },
  {
    does: 'removes an environment from the state and adopts everything in it',
    steps: [full, removing('production'), full],
  },
  {
    does: 'removes a key from the state and imports it',
    steps: [
      shopAndKey,
      keyed.note,
      removing('sshKeys.deploy'),
      importing(shopAndKey, 'sshKeys.deploy', keyed.id),
      shopAndKey,
    ],
  },
  {
    does: 'pins a service after its record was removed',
    steps: [
      production({ redis: { cache: cache() } }),
      cached.note,
      removing('production.redis.cache'),
      async (made: Bench) => take(made, production({ redis: { cache: cache({ id: cached.id() }) } })),
      production({ redis: { cache: cache() } }),
    ],
  },
  { does: 'loses the state and adopts', steps: [full, losing, full] },
  {
    does: 'applies the part that a second manifest took over, after it left this one',
    steps: [
      production({ compose: { ...stacks(2), shop: stack() } }),
      removing('production.compose.shop'),
      production({ compose: stacks(2) }),
    ],
  },
  // Deletions and destruction
  { does: 'destroys, and applies again', steps: [shop, destroying(shop), shop] },
  {
    does: 'destroys everything, and applies something else',
    steps: [three, destroying(three), production({ redis: { cache: cache() } })],
  },
  { does: 'removes one of three services', steps: [three, production({ compose: stacks(2) })] },
  { does: 'removes two of three services', steps: [three, production({ compose: stacks(1) })] },
  {
    does: 'replaces one of two services by another one',
    steps: [production({ compose: stacks(2) }), production({ compose: { ...stacks(1), shop: stack() } })],
  },
  {
    does: 'removes a domain, and adds another one',
    steps: [
      production({ compose: { shop: stack('1', { domains: { 'a.example.com': domain() } }) } }),
      production({ compose: { shop: stack('1', { domains: { 'b.example.com': domain() } }) } }),
    ],
  },
  // What people do on the platform
  {
    does: 'has a service deleted by hand',
    steps: [
      three,
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.s0'), deleteVolumes: false })),
      three,
    ],
  },
  {
    does: 'has its only service deleted by hand',
    steps: [
      shop,
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.shop'), deleteVolumes: false })),
      shop,
    ],
  },
  {
    does: 'has its only service deleted by hand, and removes its block',
    steps: [
      shopAndKey,
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.shop'), deleteVolumes: false })),
      onlyKey,
    ],
  },
  {
    does: 'has its only service deleted by hand, and declares another one',
    steps: [
      shop,
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.shop'), deleteVolumes: false })),
      production({ redis: { cache: cache() } }),
    ],
  },
  {
    does: 'has a service added by hand, and declares it',
    steps: [
      shop,
      byHand('redis.create', () => ({ name: 'cache', ...cache(), environmentId: 'env_prj_1' })),
      production({ compose: { shop: stack() }, redis: { cache: cache() } }),
    ],
  },
];

/** A walk whose last step is refused. */
interface Refused extends Walk {
  /** The codes of the errors. */
  readonly by: readonly string[];
  /** The flags that the remedies name, and that let the step through together. */
  readonly flags: readonly (typeof flags)[keyof typeof flags][];
  /** What has to be applied before the flags let the step through. */
  readonly first?: readonly Step[];
  /** What leads on where no flag does; a manifest comes last. */
  readonly instead?: readonly Step[];
}

const losesAll: Tree = production({ compose: { other: stack() } });

const refusedWalks: readonly Refused[] = [
  {
    does: 'replaces the only service by another one',
    steps: [shop, losesAll],
    by: ['other-manifest'],
    flags: [flags.massDeletion],
  },
  {
    does: 'finds the state of another repository',
    steps: [three, losesAll],
    by: ['other-manifest', 'mass-deletion'],
    flags: [flags.massDeletion],
  },
  {
    does: 'finds the state of another repository beside shared settings',
    steps: [
      production({ compose: stacks(2) }, organization),
      production({ compose: { other: stack() } }, organization),
    ],
    by: ['other-manifest'],
    flags: [flags.massDeletion],
  },
  {
    does: 'finds a state of services with a manifest of keys',
    steps: [production({ compose: stacks(2) }), onlyKey],
    by: ['other-manifest'],
    flags: [flags.massDeletion],
  },
  {
    does: 'finds a state of keys with a manifest of services',
    steps: [onlyKey, shop],
    by: ['other-manifest', 'data-at-risk'],
    flags: [flags.massDeletion, flags.dataLoss],
  },
  {
    does: 'finds a state of keys with a manifest of other keys',
    steps: [onlyKey, production({}, { sshKeys: { other: key('two') } })],
    by: ['other-manifest', 'data-at-risk'],
    flags: [flags.massDeletion, flags.dataLoss],
  },
  {
    does: 'loses all services beside a key',
    steps: [production({ compose: stacks(3) }, { sshKeys: { deploy: key() } }), onlyKey],
    by: ['mass-deletion'],
    flags: [flags.massDeletion],
  },
  {
    does: 'loses all services of the only environment',
    steps: [three, production()],
    by: ['mass-deletion'],
    flags: [flags.massDeletion],
  },
  {
    does: 'loses 4 of 12 services',
    steps: [production({ compose: stacks(12) }), production({ compose: stacks(8) })],
    by: ['mass-deletion'],
    flags: [flags.massDeletion],
  },
  {
    does: 'loses everything with its environments',
    steps: [three, manifest(undefined)],
    by: ['deletes-everything'],
    flags: [],
    instead: [destroying(manifest(undefined)), three],
  },
  {
    does: 'finds the state of another repository with other environments',
    steps: [
      manifest({ production: {}, staging: { compose: stacks(2) } }),
      manifest({ preview: { compose: { other: stack() } } }),
    ],
    by: ['other-manifest', 'deletes-everything'],
    flags: [],
    instead: [
      destroying(manifest({ preview: { compose: { other: stack() } } })),
      manifest({ preview: { compose: { other: stack() } } }),
    ],
  },
  {
    does: 'removes a key that no service uses',
    steps: [shopAndKey, shop],
    by: ['data-at-risk'],
    flags: [flags.dataLoss],
  },
  {
    does: 'removes a database',
    steps: [production({ postgres: { main: database() }, compose: { shop: stack() } }), shop],
    by: ['data-at-risk'],
    flags: [flags.dataLoss],
  },
  {
    does: 'replaces the only database by another one',
    steps: [production({ postgres: { main: database() } }), production({ postgres: { other: database() } })],
    by: ['other-manifest', 'data-at-risk'],
    flags: [flags.massDeletion, flags.dataLoss],
  },
  {
    does: 'renames an environment with a database without moved:',
    steps: [
      manifest({ production: { compose: { shop: stack() } }, staging: { redis: { cache: cache() } } }),
      manifest({ production: { compose: { shop: stack() } }, preview: { redis: { cache: cache() } } }),
    ],
    by: ['data-at-risk'],
    flags: [flags.dataLoss],
  },
  {
    does: 'loses two services on the platform',
    steps: [
      production({ compose: stacks(2) }),
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.s0'), deleteVolumes: false })),
      byHand('compose.delete', (made) => ({ composeId: idOf(made, 'production.compose.s1'), deleteVolumes: false })),
      production({ compose: stacks(2) }),
    ],
    by: ['vanished'],
    flags: [flags.massRecreation],
  },
  {
    does: 'removes a protected service',
    steps: [
      production({ compose: { shop: stack('1', { protect: true }), other: stack() } }),
      production({ compose: { other: stack() } }),
    ],
    by: ['protected'],
    flags: [],
    instead: [
      production({ compose: { shop: stack('1', { protect: false }), other: stack() } }),
      production({ compose: { other: stack() } }),
    ],
  },
  {
    does: 'removes a protected database',
    steps: [production({ postgres: { main: database({ protect: true }) }, compose: { shop: stack() } }), shop],
    by: ['protected'],
    flags: [],
    instead: [production({ postgres: { main: database({ protect: false }) }, compose: { shop: stack() } }), shop],
  },
  {
    does: 'replaces the only service, which is protected',
    steps: [production({ compose: { shop: stack('1', { protect: true }) } }), losesAll],
    by: ['protected', 'other-manifest'],
    flags: [flags.massDeletion],
    first: [production({ compose: { shop: stack('1', { protect: false }) } })],
  },
  {
    does: 'removes an environment that holds services of others',
    steps: [
      manifest({ production: { compose: { shop: stack() } }, staging: {} }),
      byHand('redis.create', (made) => ({ name: 'cache', ...cache(), environmentId: idOf(made, 'staging') })),
      shop,
    ],
    by: ['not-empty'],
    flags: [],
  },
];

async function walk(steps: readonly Step[]) {
  const made = bench();
  for (const step of steps) await take(made, step);
  return made;
}

describe('H7: a user applies, and then', () => {
  test.each(ordinary)('$does: no flag, and then nothing is planned', async ({ steps }) => {
    const made = await walk(steps);
    const last = steps.at(-1);
    expect(last).not.toBeTypeOf('function');
    await plansNothing(made, textOf(last));
  });

  test('walks at least 60 ways', () => {
    expect(ordinary.length).toBeGreaterThanOrEqual(60);
    expect(new Set(ordinary.map(({ does }) => does)).size).toBe(ordinary.length);
  });
});

/** The names of the permissions, by their flags. */
const permissionOf = new Map(Object.entries(flags).map(([permission, flag]) => [flag, permission]));

/** The flags that remedies name. */
function named(remedies: readonly (string | undefined)[]): string[] {
  const all: readonly string[] = Object.values(flags);
  return all.filter((flag) => remedies.some((remedy) => remedy?.includes(flag)));
}

describe('H7: a step that loses something is refused', () => {
  test.each(refusedWalks)('$does', async ({ steps, by, flags: fitting, first = [], instead }) => {
    const made = await walk(steps.slice(0, -1));
    const text = textOf(steps.at(-1));
    const found = await refusal(made, () => made.apply(text, noFlags));
    expect(found.map(({ code }) => code).toSorted()).toEqual([...by].toSorted());
    expect(named(found.map(({ remedy }) => remedy))).toEqual(named(fitting.map(String)));
    for (const step of [...first, ...(instead ?? [])]) await take(made, step);
    if (fitting.length === 0) {
      const last = instead?.at(-1);
      if (last !== undefined) await plansNothing(made, textOf(last));
      return;
    }
    const permissions = { ...noFlags, ...Object.fromEntries(fitting.map((flag) => [permissionOf.get(flag), true])) };
    const planned = await made.plan(text);
    for (const flag of fitting) {
      const without = { ...permissions, [permissionOf.get(flag) ?? '']: false };
      expect(obstacles(planned, without)).not.toEqual([]);
    }
    await made.apply(text, permissions);
    await plansNothing(made, text);
  });

  test('walks into every guard of a plan that a flag or another command lifts', () => {
    const walked = new Set(refusedWalks.flatMap(({ by }) => by));
    const all: readonly Safeguard[] = Object.values(safeguards);
    const lifted = all.filter(({ permission, code }) => permission !== undefined && code !== 'consent');
    expect(lifted.filter(({ code }) => !walked.has(code))).toEqual([]);
  });
});
