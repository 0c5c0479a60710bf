import { importObject } from '../../src/workflow/import-object.ts';
import { moveInState, removeFromState } from '../../src/operate/edit-state.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { acceptDrift } from '../../src/drift/drift-run.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Bench } from '../support/world.ts';
import { main, redises, refused, shop } from './in-plans.ts';
import type { Provocation } from './provoked.ts';
import { database, everything, gitProvider, idOf, production, reported, stack } from './provoked.ts';
import { otherInManifests } from './other-remedies-in-manifests.ts';
import { otherInStages } from './other-remedies-in-stages.ts';
import { otherInRuns } from './other-remedies-in-runs.ts';
import type { OtherRemedy } from './remedy.ts';
import { applied } from './remedy.ts';

const whole = 'Look whether the manifest is whole: the folder, the branch, its includes.';
const [second, wideShop] = ['production.postgres.second', production(database() + stack())];
const values = 'dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: example';

/** Two databases; each word is added to the block of one. */
const two = (first: string, other: string) =>
  production(`    postgres:\n      main: { ${values}${first} }\n      second: { ${values}${other} }\n`);

/** Creates a database by hand. */
async function byHand(made: Bench, name: string, environmentId = 'env_prj_1'): Promise<string> {
  const input = { name, databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
  const created = await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId });
  return (created as { readonly postgresId: string }).postgresId;
}

const named = (made: Bench, name: string) =>
  String(Object.values(made.emulator.world.tables.postgres).find((row) => row.name === name)?.['postgresId']);

const narrowed = async (made: Bench, text: string, how: Parameters<typeof readNarrowing>[0], more = {}) =>
  plan(await made.manifest(text), made.world(), { narrowing: { ...readNarrowing(how), ...more } });

/** Edits the state of a test. */
function edit(made: Bench, change: (state: NonNullable<Bench['store']['state']>) => { readonly state: unknown }) {
  const { state } = made.store;
  if (state === undefined) throw new Error('there is no state');
  made.store.state = change(state).state as typeof state;
}

const replaced = (more = '') => production(database(more).replace('databaseName: shop', 'databaseName: store'));

const isGone: Provocation = (made) =>
  reported(async () => {
    await made.apply(wideShop, everything);
    await made.emulator.act('compose.delete', { composeId: idOf(made, shop), deleteVolumes: false });
    const request = { subject: shop, until: until(made), because: 'Black Friday', by: 'ops' };
    const options = { folder: { folder: made.folder, file: 'trueup.yaml' }, now: made.clock.wall(), request };
    await acceptDrift(await made.manifest(wideShop), made.world(), options);
    return made.plan(wideShop);
  });

const until = ({ clock }: Bench) => new Date(clock.wall() + 5 * 86_400_000).toISOString().slice(0, 10);

const inStaging = wideShop.replace('production:', 'production: {}\n  staging:');
const intoStaging = [shop, main].map((from) => `{ from: "${from}", to: "${from.replace('production', 'staging')}" }`);

const domainOf = (service: string) => `production.compose.${service}.domains["shop.example.com"]`;

/** Two stacks; one of them has a domain. */
const inOneOf = (owner: string) => {
  const domains = 'domains: { shop.example.com: { serviceName: web, port: 80 } }';
  const blocks = ['shop', 'blog'].map((name) =>
    stack(name === owner ? domains : '')
      .replace('shop: {', `${name}: {`)
      .replace('    compose:\n', ''),
  );
  return production(`    compose:\n${blocks.join('')}`);
};

/** Every one of them. */
export const otherRemedies: Readonly<Record<string, OtherRemedy>> = {
  ...otherInManifests,
  ...otherInStages,
  ...otherInRuns,
  'a pin that contradicts the state': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return made.plan(production(database(`id: ${await byHand(made, 'other')}`)));
      }),
    row: {
      'Correct id:,': (made) => made.plan(production(database(`id: ${idOf(made, main)}`))),
      'or declare the other object under a key of its own.': (made) =>
        applied(made, two('', `, name: other, id: ${named(made, 'other')}`)),
    },
  },
  'two pins of one object': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(async () => {
        const id = await byHand(made, 'main');
        await byHand(made, 'second');
        return made.plan(two(`, id: ${id}`, `, id: ${id}`));
      }),
    row: {
      'One object has one address: remove one of the two,': (made) =>
        applied(made, production(database(`id: ${named(made, 'main')}`))),
      'or correct id:.': (made) => applied(made, two(`, id: ${named(made, 'main')}`, `, id: ${named(made, 'second')}`)),
    },
  },
  'a pin of an object that another address manages': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return made.plan(two('', `, name: main2, id: ${idOf(made, main)}`));
      }),
    row: {
      'One object has one block: remove one of the two.': (made) => applied(made, production(database())),
      [`trueup state mv '${main}' '${second}' gives it the other address.`]: (made) => {
        edit(made, (state) => moveInState(state, { from: main, to: second }, kinds));
        return applied(made, production(database('name: main', 'second')));
      },
    },
  },
  'a create that the platform lists late, without a state': {
    code: 'duplicate',
    provoke: (made) => reported(() => made.plan(gitProvider)),
    row: {
      'Look under Git on the platform.': { forPeople: 'the page Git shows what the API does not list' },
      'If it is there, connect it,': { forPeople: 'a person connects it in the browser' },
      'or adopt it: trueup import gitlab.lab <id>.': { forPeople: 'only the page Git shows the id' },
    },
  },
  'a creation without what it needs': {
    code: 'cannot-create',
    provoke: (made) => reported(() => made.plan(production(database().replace(', databasePassword: example', '')))),
    row: {
      'Add databasePassword,': (made) => applied(made, production(database())),
      'or id: if it exists under another name.': async (made) => {
        const id = await byHand(made, 'other');
        return made.plan(production(database(`name: other, id: ${id}`).replace(', databasePassword: example', '')));
      },
    },
  },
  'a pin of an object below another parent': {
    code: 'cannot-change',
    provoke: (made) =>
      reported(async () => {
        await made.emulator.act('environment.create', { name: 'staging', projectId: 'prj_1' });
        const staging = Object.values(made.emulator.world.tables.environment).find(({ name }) => name === 'staging');
        const id = await byHand(made, 'main', String(staging?.['environmentId']));
        return made.plan(production(database(`id: ${id}`)));
      }),
    row: {
      'Declare it where it is,': (made) => applied(made, production(database()).replace('production:', 'staging:')),
      'or correct id:.': async (made) => {
        const id = await byHand(made, 'another');
        return made.plan(production(database(`name: another, id: ${id}`)));
      },
    },
  },
  'a replacement on purpose of what the platform made': {
    code: 'cannot-change',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return narrowed(made, production(database()), { replace: ['production'] });
      }),
    row: { 'Leave out --replace for it.': (made) => applied(made, production(database())) },
  },
  'a replacement of a pinned object': {
    code: 'cannot-change',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return made.plan(replaced(`id: ${idOf(made, main)}`));
      }),
    row: { 'Remove id: first.': (made) => applied(made, replaced()) },
  },
  'a deletion of all that is in the project': {
    code: 'mass-deletion',
    provoke: (made) =>
      reported(async () => {
        await made.apply(redises(3), everything);
        return made.plan(production('    redis: {}\n'));
      }),
    row: {
      [whole]: (made) => applied(made, redises(3)),
      'If it is meant, apply needs --allow-mass-delete.': (made) =>
        refused(made.plan(production('    redis: {}\n')), { dataLoss: true, massDeletion: true }),
    },
  },
  'an accepted absence': {
    code: 'accepted',
    provoke: isGone,
    row: {
      'To create it now: --include-accepted.': (made) => narrowed(made, wideShop, {}, { includesAccepted: true }),
    },
  },
  'a replacement that a narrowed plan leaves out': {
    code: 'bad-reference',
    provoke: (made) =>
      reported(async () => {
        await made.apply(wideShop, everything);
        return narrowed(made, wideShop, { target: [main], replace: [shop] });
      }),
    row: {
      'Add it with --target,': (made) => narrowed(made, wideShop, { target: [main, shop], replace: [shop] }),
      'or leave out --replace for it.': (made) => narrowed(made, wideShop, { target: [main] }),
    },
  },
  'a destruction of what is protected': {
    code: 'protected',
    provoke: (made) =>
      reported(async () => {
        const text = production(database('protect: true'));
        await made.apply(text, everything);
        return plan(await made.manifest(text), made.world(), { destroys: true });
      }),
    row: {
      'Write protect: false in its block, apply, and destroy again.': async (made) => {
        const text = production(database('protect: false'));
        await applied(made, text);
        return made.destroy(text);
      },
    },
  },
  'a replacement of what is protected': {
    code: 'protected',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database('protect: true')), everything);
        return made.plan(replaced('protect: true'));
      }),
    row: {
      'Undo the change,': (made) => applied(made, production(database('protect: true'))),
      'or write protect: false and apply that first.': async (made) => {
        await applied(made, production(database('protect: false')));
        return refused(made.plan(replaced('protect: false')));
      },
    },
  },
  'services that go in one environment and come in another': {
    code: 'renamed',
    provoke: (made) =>
      reported(async () => {
        await made.apply(`${wideShop}  staging: {}\n`, everything);
        return made.plan(inStaging);
      }),
    row: {
      [`If they are the same objects, write an entry for each: moved: [${intoStaging.join(', ')}].`]: (made) =>
        applied(made, `${inStaging}moved: [${intoStaging.join(', ')}]\n`),
    },
  },
  'data of a replacement': {
    code: 'data-at-risk',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return refused(made.plan(replaced()));
      }),
    row: {
      'Allow it with --allow-data-loss,': (made) => refused(made.plan(replaced()), { dataLoss: true }),
      'or write protect: false in the block and apply that first.': async (made) => {
        await applied(made, production(database('protect: false')));
        return refused(made.plan(replaced('protect: false')));
      },
    },
  },
  'data of many deletions': {
    code: 'data-at-risk',
    provoke: (made) =>
      reported(async () => {
        await made.apply(redises(6), everything);
        return refused(made.plan(redises(2)));
      }),
    row: {
      'Allow it with --allow-data-loss,': (made) => refused(made.plan(redises(2)), { dataLoss: true }),
      'or put their blocks back with protect: false, apply that, and remove them then.': async (made) => {
        await applied(made, redises(6).replaceAll('databasePassword: x', 'databasePassword: x, protect: false'));
        return refused(made.plan(redises(2)));
      },
    },
  },
  'another object under the id of the state': {
    code: 'data-at-risk',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(stack('description: ours')), everything);
        const [row] = Object.values(made.emulator.world.tables.compose);
        Object.assign(row ?? {}, { name: 'billing', description: 'of finance', composeFile: 'services: { b: {} }' });
        return refused(made.plan(production('    compose: {}\n')));
      }),
    row: {
      'Look at id_1 on the platform.': { forPeople: 'only they know whose object it is' },
      [`To keep it: trueup state rm '${shop}'.`]: (made) => {
        edit(made, (state) => removeFromState(state, [shop]));
        return refused(made.plan(production('    compose: {}\n')));
      },
      'If it may go, apply needs --allow-data-loss.': (made) =>
        refused(made.plan(production('    compose: {}\n')), { dataLoss: true }),
    },
  },
  'an adoption of many': {
    code: 'consent',
    provoke: (made) =>
      reported(async () => {
        await made.apply(redises(5), everything);
        made.store.state = undefined;
        return refused(made.plan(redises(5)));
      }),
    row: {
      'Take them over with --adopt,': (made) => refused(made.plan(redises(5)), { adoption: true }),
      'or pin each with id:.': (made) => {
        const ids = new Map(
          Object.values(made.emulator.world.tables.redis).map((row) => [String(row.name), String(row['redisId'])]),
        );
        const pinned = redises(5).replaceAll(/\b(r\d): \{/g, (_, name: string) => `${name}: { id: ${ids.get(name)},`);
        return refused(made.plan(pinned));
      },
      'If a state had them and is lost: trueup state rebuild.': async (made) => {
        // The command writes what an import of each writes: test/scenarios/no-state.test.ts runs it.
        for (const { address, id } of (await made.plan(redises(5))).actions)
          if (id !== undefined && address !== 'production')
            await importObject(await made.manifest(redises(5)), made.world(), address, id);
        return refused(made.plan(redises(5)));
      },
    },
  },
  'a move onto an address that is taken': {
    code: 'bad-reference',
    provoke: (made) =>
      reported(async () => {
        await made.apply(two('', ''), everything);
        edit(made, (state) => moveInState(state, { from: main, to: second }, kinds));
        return [];
      }),
    row: {
      'Move that one,': (made) => {
        edit(made, (state) => moveInState(state, { from: second, to: 'production.postgres.third' }, kinds));
        edit(made, (state) => moveInState(state, { from: main, to: second }, kinds));
        return Promise.resolve([]);
      },
      'or remove it with trueup state rm.': (made) => {
        edit(made, (state) => removeFromState(state, [second]));
        edit(made, (state) => moveInState(state, { from: main, to: second }, kinds));
        return Promise.resolve([]);
      },
    },
  },
  'an import over an object of the state': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(async () => {
        const text = production(database());
        await made.apply(text, everything);
        return importObject(await made.manifest(text), made.world(), main, await byHand(made, 'other'));
      }),
    row: {
      'Compare id_1 with the object that you mean.': { forPeople: 'only they know which object they mean' },
      [`To manage that instead, run trueup state rm '${main}' first.`]: async (made) => {
        edit(made, (state) => removeFromState(state, [main]));
        const text = production(database('name: other'));
        return importObject(await made.manifest(text), made.world(), main, named(made, 'other'));
      },
    },
  },
  'two blocks of one name': {
    code: 'defined-twice',
    provoke: (made) => reported(() => made.plan(two(', name: main', ', name: main'))),
    row: {
      'Write another name in one of them,': (made) => applied(made, two(', name: main', ', name: other')),
      'or remove it.': (made) => applied(made, production(database())),
      'For two objects that exist, write id: in both.': async (made) => {
        const [first, other] = [await byHand(made, 'main'), await byHand(made, 'main')];
        return applied(made, two(`, name: main, id: ${first}`, `, name: main, id: ${other}`));
      },
    },
  },
  'a move that the platform cannot make': {
    code: 'cannot-change',
    provoke: (made) =>
      reported(async () => {
        await made.apply(inOneOf('shop'), everything);
        return made.plan(`${inOneOf('blog')}moved: [{ from: '${domainOf('shop')}', to: '${domainOf('blog')}' }]\n`);
      }),
    row: {
      'The platform cannot move a domain: remove the entry of moved:, so that it is deleted and created.': (made) =>
        applied(made, inOneOf('blog')),
    },
  },
};
