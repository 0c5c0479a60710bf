import fc from 'fast-check';
import type { Seed } from './random-blocks.ts';
import type { Edit } from './random-edits.ts';

/** What happens in random histories. */

const nat = fc.nat(300);
const fields = (most: number) => fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: most });
const envSeed = fc.option(fc.array(fc.nat(30), { maxLength: 6 }), { nil: undefined });
const bare = { key: nat, case: nat, env: fc.constant(undefined), children: fc.constant([]) };

const leafSeed: fc.Arbitrary<Seed> = fc.record({ ...bare, kind: nat, fields: fields(3) });
const serviceSeed: fc.Arbitrary<Seed> = fc.record({
  ...bare,
  kind: nat,
  fields: fields(4),
  env: envSeed,
  children: fc.array(leafSeed, { maxLength: 3 }),
});
const topSeed: fc.Arbitrary<Seed> = fc.record({ ...bare, kind: fc.integer({ min: 1, max: 300 }), fields: fields(4) });
const environmentSeed: fc.Arbitrary<Seed> = fc.record({
  ...bare,
  kind: fc.constant(0),
  fields: fields(2),
  env: envSeed,
  children: fc.array(serviceSeed, { maxLength: 3 }),
});
const anySeed = fc.oneof(environmentSeed, serviceSeed, leafSeed, leafSeed, topSeed, topSeed);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant('add' as const), at: nat, seed: anySeed }),
  fc.record({ edit: fc.constant('remove' as const), at: nat, isBold: fc.boolean() }),
  fc.record({ edit: fc.constant('set' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ edit: fc.constant('set' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ edit: fc.constant('unset' as const), at: nat, field: nat }),
  fc.record({ edit: fc.constant('env' as const), at: nat, env: envSeed }),
  fc.record({ edit: fc.constant('variable' as const), at: nat, key: nat }),
  fc.record({ edit: fc.constant('rename' as const), at: nat, key: nat, follow: fc.boolean() }),
  fc.record({ edit: fc.constant('relocate' as const), at: nat, to: nat, follow: fc.boolean() }),
  fc.record({ edit: fc.constant('retag' as const), at: nat, case: nat }),
  fc.record({ edit: fc.constant('option' as const), at: nat, option: fc.nat(6) }),
  fc.record({ edit: fc.constant('renew' as const), at: nat }),
  fc.record({ edit: fc.constant('renew' as const), at: nat }),
);

/** A change that somebody makes on the platform by hand. */
export type Drift =
  | { readonly drift: 'update'; readonly at: number; readonly field: number; readonly value: number }
  | { readonly drift: 'env'; readonly at: number; readonly text: number }
  | { readonly drift: 'delete'; readonly at: number }
  | { readonly drift: 'create'; readonly at: number; readonly seed: Seed }
  /** Makes what the manifest declares. */
  | { readonly drift: 'anticipate'; readonly at: number; readonly without: number }
  | { readonly drift: 'move'; readonly at: number; readonly to: number }
  | { readonly drift: 'deploy'; readonly at: number }
  | { readonly drift: 'connect'; readonly at: number };

const drift: fc.Arbitrary<Drift> = fc.oneof(
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('env' as const), at: nat, text: nat }),
  fc.record({ drift: fc.constant('delete' as const), at: nat }),
  fc.record({ drift: fc.constant('create' as const), at: nat, seed: fc.oneof(serviceSeed, leafSeed, topSeed) }),
  fc.record({ drift: fc.constant('anticipate' as const), at: nat, without: nat }),
  fc.record({ drift: fc.constant('move' as const), at: nat, to: nat }),
  fc.record({ drift: fc.constant('deploy' as const), at: nat }),
  fc.record({ drift: fc.constant('connect' as const), at: nat }),
);

/** All that can go wrong with a request, in the order in which it is made simpler. */
export const hows = [
  'before',
  'after',
  '500 after',
  'refused',
  'late',
  'blind',
  'dead',
  'killed',
  'killed before',
  'killed late',
  'killed saving',
] as const;

/**
 * What goes wrong with one POST of a run, counted from 0. `before`, `after`: no answer comes; it was carried out only
 * `after`. `late`: it is carried out some time after the connection failed. `blind`: nothing can be read after it.
 * `dead`: nothing gets through after it. `killed`: the process ends with it; `killed before`: before it is sent;
 * `killed late`: and it is carried out some time after. `killed saving`: the process ends with the saving of a record,
 * which is what is counted then.
 */
interface Fault {
  readonly at: number;
  readonly how: (typeof hows)[number];
  /** How much later it is carried out. Milliseconds. */
  readonly ms: number;
}

const faultNear = (at: number): fc.Arbitrary<Fault> =>
  fc.record({ at: fc.nat(at), how: fc.constantFrom(...hows), ms: fc.constantFrom(300, 4_000, 20_000, 50_000) });
const faultsNear = (at: number): fc.Arbitrary<Fault[]> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<Fault[]>([]) },
    { weight: 3, arbitrary: fc.array(faultNear(at), { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(faultNear(at + 3), { minLength: 2, maxLength: 4 }) },
  );

/** What disturbs the runs of one apply. */
export interface Trouble {
  readonly faults: readonly Fault[];
  /** What goes wrong when it is run again. */
  readonly again: readonly Fault[];
  /** It is not run again: the history goes on with whatever there is then. */
  readonly isLeft: boolean;
}

const trouble = (at = 7): fc.Arbitrary<Trouble> =>
  fc.record({
    faults: faultsNear(at),
    again: fc.array(faultNear(7), { maxLength: 1 }),
    isLeft: fc.boolean(),
  });

/** What somebody does by hand while an apply runs, just before one of its requests. */
export interface Meanwhile {
  readonly before: number;
  readonly drift: Drift;
}

const meanwhile: fc.Arbitrary<Meanwhile[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Meanwhile[]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ before: fc.oneof(fc.constant(0), fc.nat(9)), drift }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
);

/** One step of a history. */
export type Command =
  | { readonly command: 'edit'; readonly edits: readonly Edit[] }
  | { readonly command: 'apply'; readonly trouble: Trouble; readonly meanwhile: readonly Meanwhile[] }
  | { readonly command: 'drift'; readonly drift: Drift }
  /** Something is renewed, and that applied with faults near its beginning: that is where most can go wrong. */
  | { readonly command: 'renew'; readonly at: number; readonly trouble: Trouble }
  /** A plan is kept in a file and applied later. */
  | {
      readonly command: 'review';
      readonly drifts: readonly Drift[];
      readonly edits: readonly Edit[];
      readonly trouble: Trouble;
    }
  | { readonly command: 'destroy'; readonly drifts: readonly Drift[]; readonly trouble: Trouble }
  | { readonly command: 'lose state' }
  | { readonly command: 'rebuild state'; readonly drifts: readonly Drift[] };

const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
const drifts = fc.array(drift, { maxLength: 2 });
const rarely = <T>(most: fc.Arbitrary<readonly T[]>): fc.Arbitrary<readonly T[]> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant<readonly T[]>([]) }, { weight: 1, arbitrary: most });

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ command: fc.constant('edit' as const), edits }) },
  {
    weight: 8,
    arbitrary: fc.record({ command: fc.constant('apply' as const), trouble: trouble(), meanwhile }),
  },
  { weight: 8, arbitrary: fc.record({ command: fc.constant('drift' as const), drift }) },
  { weight: 3, arbitrary: fc.record({ command: fc.constant('renew' as const), at: nat, trouble: trouble(4) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      command: fc.constant('review' as const),
      drifts,
      edits: rarely<Edit>(edits),
      trouble: trouble(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ command: fc.constant('destroy' as const), drifts, trouble: trouble() }) },
  { weight: 1, arbitrary: fc.record({ command: fc.constant('lose state' as const) }) },
  { weight: 1, arbitrary: fc.record({ command: fc.constant('rebuild state' as const), drifts }) },
);

/** A manifest and what happens to it and to its platform. */
export interface History {
  readonly start: readonly Seed[];
  readonly top: readonly Seed[];
  /** What people made on the platform before. */
  readonly there: readonly Drift[];
  readonly commands: readonly Command[];
}

const begin = {
  start: fc.array(environmentSeed, { minLength: 1, maxLength: 3 }),
  top: fc.array(topSeed, { maxLength: 4 }),
};

/** A manifest, and what its second version differs by. */
export const twoManifests = fc.record({ ...begin, edits: fc.array(edit, { minLength: 1, maxLength: 12 }) });

/** All histories. */
export const histories: fc.Arbitrary<History> = fc.record({
  ...begin,
  there: rarely<Drift>(fc.array(drift, { maxLength: 6 })),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
});
