import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { importObject } from '../../src/workflow/import-object.ts';
import { removeFromState } from '../../src/operate/edit-state.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { renderPlanPage } from '../../src/render/html/plan-page.ts';
import { kinds } from '../../src/resources/index.ts';
import { session } from '../../src/workflow/session.ts';
import { documentOf } from '../support/documents.ts';
import { documentOf as openApi, publishing } from '../support/publishing.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { mirror } from '../support/kind-beyond-document.ts';
import type { inPlans as provocations } from './in-plans.ts';
import {
  afterAcceptance,
  asked,
  backedUp,
  dashboard,
  key,
  main,
  named,
  manyDeletions,
  redises,
  refused,
  restored,
  reviewed,
  sharesSecret,
  shop,
} from './in-plans.ts';
import { database, everything, gitProvider, head, idOf, production, stack } from './provoked.ts';
import type { Row } from './remedy.ts';
import { applied } from './remedy.ts';

/** A manifest with a state of its own on the same platform. */
const apart = (made: Bench) => bench({ emulator: made.emulator, clock: made.clock });

const movedFrom = (from: string, to: string) => `moved: [{ from: "${from}", to: "${to}" }]\n`;
const database2 = production(database('', 'database'));
const without = production('    postgres: {}\n');
const noCompose = production('    compose: {}\n');
const composeType = (type: string) => production(stack(`composeType: ${type}`));

/** A database in the place of one that is not there. */
async function createDatabase(made: Bench, environmentId = 'env_prj_1'): Promise<string> {
  const input = { name: 'other', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
  const created = await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId });
  return (created as { readonly postgresId: string }).postgresId; // the row that the emulator answers
}

const reports = (made: Bench) => {
  const row = Object.values(made.emulator.world.tables.postgres).find(({ name }) => name === 'reports');
  return String(row?.['postgresId']);
};

/** The row of the git provider of the manifest. */
const providerOf = (made: Bench) =>
  Object.values(made.emulator.world.tables.gitlab).find(({ applicationId }) => applicationId === 'a');

/** Imports an object, and plans again. */
async function imported(made: Bench, text: string, address: string, id: string) {
  const manifest = await made.manifest(text);
  await importObject(manifest, made.world(), address, id);
  return made.plan(text);
}

/** The remedies of the codes that a plan, or its review, reports. */
export const inPlans = {
  'report-too-long': {
    'Use --format html': async (made) => {
      const many = await manyDeletions(made, 2_000);
      if (!renderPlanPage({ plan: documentOf(many) }).includes('1999-of-a-long-name'))
        throw new Error('the page lacks a deletion');
      return [];
    },
    'or --format json,': async (made) => {
      const many = await manyDeletions(made, 2_000);
      if (documentOf(many).actions.length < 2_000) throw new Error('the document lacks a deletion');
      return [];
    },
    'or plan parts with --target.': async (made) =>
      session(await made.manifest(head), made.platform(), { purpose: 'plan', clock: made.clock }, (run) =>
        run.plan({ narrowing: { targets: ['production.redis.r0'], excludes: [], replaces: [] } }),
      ),
  },
  'bad-move': {
    'Correct to:,': (made) => made.plan(database2 + movedFrom(main, 'production.postgres.database')),
    'or remove the entry.': (made) => made.plan(production(database())),
  },
  'stale-move': {
    'Correct from:, as `trueup state list` prints it;': (made) =>
      made.plan(database2 + movedFrom(main, 'production.postgres.database')),
    'or remove the entry.': (made) => made.plan(production(database()) + stack()),
  },
  'state-unusable': {
    'Use the project that the state belongs to,': (made) => applied(made, production('    description: x\n')),
    'or a folder of its own for the other one.': (made) =>
      apart(made).plan(production('    description: x\n').replace('prj_1', 'prj_2')),
  },
  'platform-answer': {
    'Write project: with the name or id of a project that the API key may see: project-2 (prj_2), project-1 (prj_1).': (
      made,
    ) => made.plan(production(database()).replace('prj_1', 'prj_2')),
  },
  'not-found': {
    'First check platform: emulator: there is no state to compare with.': {
      forPeople: 'only they know which they mean',
    },
    'Correct id:,': async (made) => made.plan(production(database(`name: other, id: ${await createDatabase(made)}`))),
    'or remove the line to have a new one created.': (made) => applied(made, production(database())),
  },
  ambiguous: {
    'Write id: with the one that is meant,': (made) => applied(made, production(database('id: id_1'))),
    'or remove the others on the platform.': async (made) => {
      await made.emulator.act('postgres.remove', { postgresId: 'id_3' });
      return applied(made, production(database()));
    },
  },
  'foreign-object': {
    'Correct id:.': async (made) => made.plan(production(database(`name: other, id: ${await createDatabase(made)}`))),
  },
  'cannot-create': {
    'First check platform: emulator: there is no state to compare with.': {
      forPeople: 'only they know which they mean',
    },
    'Make it there and apply again,': { forPeople: 'people join by an invitation, which they accept' },
    'pin an existing one with id:,': (made) => made.plan(`${head}members:\n  admin@example.test: { id: user_1 }\n`),
    'or remove the block.': (made) => made.plan(head),
  },
  'no-capabilities': {
    'The next plan reads it again,': async (made) =>
      plan(await made.manifest(head), publishing(made, { version: 'v1.0.0', document: openApi() }).world()),
    'and so does trueup doctor.': async (made) =>
      plan(await made.manifest(head), publishing(made, { version: 'v1.0.0', document: openApi() }).world()),
  },
  unsupported: {
    'Use a platform that serves the operation,': async () => {
      const serving = bench({ kinds: [...kinds, mirror] });
      const theirs = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'a' };
      const more = { databaseRootPassword: 'b', dockerImage: 'mysql:8', environmentId: 'env_prj_1' };
      await serving.emulator.act('mysql.create', { ...theirs, ...more });
      return serving.plan(production('    mirrors: { main: { databaseName: shop, databaseUser: shop } }\n'));
    },
    'or remove the block.': (made) => made.plan(production('    description: x\n')),
  },
  'not-served': {
    "If the platform has it no longer, run trueup state rm 'production.application.web.ports.web'.": async (made) => {
      const { state } = made.store;
      if (state === undefined) throw new Error('there is no state');
      const later = bench({ emulator: made.emulator, clock: made.clock, documentedOnly: true });
      later.store.state = removeFromState(state, ['production.application.web.ports.web']).state;
      return later.plan(production('    application: { web: { source: { type: docker, image: nginx } } }\n'));
    },
  },
  upgraded: {
    'Plan again: Trueup then finds out what the new version serves.': (made) => made.plan(production(stack())),
  },
  'cannot-change': {
    'Write "compose-copy-online-array-eevtu1", as the platform has it,': (made) => {
      const { appName } = made.emulator.world.tables.compose[idOf(made, shop)] ?? {};
      return applied(made, production(stack(`appName: ${String(appName)}`)));
    },
    'or leave the line out.': (made) => applied(made, production(stack())),
  },
  'not-decrypted': {
    'Give the platform its old encryption key and restart it.': async (made) => {
      await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'REGION=eu\n' });
      return applied(made, production(stack('env: { REGION: eu }')));
    },
    'If that key is lost, clear the field there: apply then writes it again.': async (made) => {
      await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: '' });
      return applied(made, production(stack('env: { REGION: eu }')));
    },
  },
  protected: {
    'Put its block back;': (made) => applied(made, production(database('protect: true'))),
    'to delete it, write protect: false, apply, and remove the block then.': async (made) => {
      await applied(made, production(database('protect: false')));
      return applied(made, without);
    },
  },
  'still-protected': {
    'Write protect: true again,': (made) => applied(made, production(database('protect: true'))),
    'or protect: false to lift the protection.': (made) => applied(made, production(database('protect: false'))),
  },
  'backup-moves': {
    'Check that the new place works,': async (made) => {
      await made.apply(production(backedUp('store/')), everything);
      return applied(made, production(backedUp('store/')));
    },
    'and keep the old backups as long as you need them.': { forPeople: 'the backups are in a bucket of theirs' },
  },
  'dashboard-moves': {
    'Point the DNS of the new host to the server,': { forPeople: 'it is outside of the platform' },
    'and write an address into platform: that stays, such as that of the server with its port.': (made) =>
      applied(made, dashboard('platform.example.com')),
  },
  'data-at-risk': {
    'Allow it with --allow-data-loss,': (made) => refused(made.plan(without), { dataLoss: true }),
    'or put its block back with protect: false, apply that, and remove it then.': async (made) => {
      await applied(made, production(database('protect: false')));
      return refused(made.plan(without));
    },
  },
  'not-empty': {
    'Move them to another environment,': async (made) => {
      await made.emulator.act('postgres.move', { postgresId: reports(made), targetEnvironmentId: 'env_prj_1' });
      return applied(made, noCompose);
    },
    'or delete them on the platform, and plan again.': async (made) => {
      await made.emulator.act('postgres.remove', { postgresId: reports(made) });
      return applied(made, noCompose);
    },
    'To keep the environment, put its block back.': (made) => applied(made, `${noCompose}  staging: {}\n`),
  },
  'mass-deletion': {
    'Look whether that is meant.': (made) => applied(made, redises(12)),
    'If it is, apply needs --allow-mass-delete.': (made) =>
      refused(made.plan(redises(1)), { dataLoss: true, massDeletion: true }),
  },
  vanished: {
    'Check the address of the platform: another server may answer there, or one that was restored from an older backup.':
      {
        forPeople: 'only they know which server should answer there',
      },
    'If the objects are really gone, apply needs --allow-mass-recreate.': async (made) => {
      const text = production(database() + stack());
      await made.apply(text, { ...everything, massRecreation: true });
      return applied(made, text);
    },
  },
  gone: { 'If it is gone on purpose, remove its block.': (made) => applied(made, production(stack())) },
  'other-manifest': {
    'If the state is that of another manifest, give this one a state of its own: another name: or prefix: under state:, or a folder of its own.':
      (made) => applied(apart(made), production(database())),
    'If the blocks only got other keys, say so under moved:.': (made) =>
      made.plan(production(stack().replace('shop:', 'store:')) + movedFrom(shop, 'production.compose.store')),
    'If all of them are to go, apply needs --allow-mass-delete.': async (made) => {
      await made.apply(production(database()), everything);
      return applied(made, production(database()));
    },
  },
  'deletes-everything': {
    'Look whether the manifest is whole: the folder, the branch, its includes.': (made) =>
      applied(made, production(database())),
    'If all of it is to go, use trueup destroy;': async (made) => {
      await made.destroy(production(database()));
      return made.plan(head);
    },
    'if blocks only got other keys, say so under moved:.': (made) =>
      applied(made, database2 + movedFrom(main, 'production.postgres.database')),
  },
  consent: {
    'Take it over with --adopt,': (made) => refused(made.plan(production(database())), { adoption: true }),
    'or pin it with id:.': (made) => refused(made.plan(production(database('id: id_1')))),
  },
  'plan-outdated': {
    'Plan again, and review that.': (made) => reviewed(made, production(database('description: ours'))),
    'This one is from 2025-11-21T10:15:02.310Z.': 'fact',
  },
  'not-needed': { 'Nothing: apply leaves it out.': (made) => applied(made, production(database('description: ours'))) },
  'not-read': {
    'To read everything first, apply with --full.': (made) =>
      reviewed(made, redises(3).replace('redis:8', 'redis:8.2'), undefined, { full: true }),
  },
  hidden: {
    'Nothing was planned: what is hidden would be created twice.': 'fact',
    'Run it again;': (made) => {
      made.env['SEES_ALL'] = 'true';
      return made.plan(key);
    },
    'if it stays so, look what the API key may see, and use that of an owner or admin.': async (made) => {
      made.env['SEES_ALL'] = 'true';
      return applied(made, key);
    },
  },
  'secret-missing': {
    'Set TRUEUP_SECRET_DB_PASSWORD,': (made) => {
      made.secrets['DB_PASSWORD'] = 'correct-horse';
      return applied(made, production(database()).replace('example', '"${secret:DB_PASSWORD}"'));
    },
    'or name a source under secrets: that has it.': (made) => {
      made.secrets['DB_PASSWORD'] = 'correct-horse';
      return made.plan(
        `secrets: [{ file: secrets.env }]\n${production(database()).replace('example', '"${secret:DB_PASSWORD}"')}`,
      );
    },
  },
  'too-large': {
    'The platform takes at most 1000000 bytes in one request.': 'fact',
    'Make the file smaller.': (made) => applied(made, production(stack(`env: { A: "${'x'.repeat(100_000)}" }`))),
  },
  released: {
    'Nothing, if that is intended: the value on the platform stays.': async (made) => {
      await made.apply(production(database()), everything);
      return applied(made, production(database()));
    },
  },
  'drift-left': {
    'Change it on the platform,': async (made) => {
      await made.emulator.act('compose.update', { composeId: idOf(made, shop), composeType: 'docker-compose' });
      return applied(made, composeType('docker-compose'));
    },
    'or accept it in the manifest.': (made) => applied(made, composeType('stack')),
  },
  'failed-before': {
    'Fix the change in the manifest.': (made) => applied(made, restored('web:2')),
    'trueup apply --retry-failed repeats it.': async (made) =>
      session(await made.manifest(restored('fail:1')), made.platform(), { purpose: 'plan', clock: made.clock }, (run) =>
        run.plan({ narrowing: { targets: [], excludes: [], replaces: [], retriesFailed: true } }),
      ),
  },
  'no-restore': {
    'Nothing, if that is intended: when the deployment fails, the new values stay.': (made) =>
      applied(made, restored('web:1')),
  },
  'no-probe': {
    'Add that port to its probe, such as port: 8443.': (made) => asked(made, '{ port: 8443 }'),
  },
  'create-only': {
    'To write it, remove the name from createOnly.': (made) => applied(made, production(stack('description: two'))),
  },
  accepted: {
    'To put the value of the manifest back now: --include-accepted.': async (made) =>
      session(
        await made.manifest(production(stack('description: ours'))),
        made.platform(),
        { purpose: 'plan', clock: made.clock },
        (run) => run.plan({ narrowing: { targets: [], excludes: [], replaces: [], includesAccepted: true } }),
      ),
  },
  'acceptance-over': {
    "To keep it for longer: trueup drift accept production.compose.shop --field description --until DAY --because 'Black Friday'.":
      (made) => afterAcceptance(made, 5),
  },
  'acceptance-void': {
    "To renew it: trueup drift accept production.compose.shop --field description --until DAY --because 'Black Friday'.":
      (made) => afterAcceptance(made, 5),
    'Or remove the entry.': async (made) => {
      rmSync(join(made.folder, 'accepted.yaml'));
      return applied(made, production(stack('description: ours')));
    },
  },
  differs: {
    'Compare it on the platform before you apply.': async (made) => {
      await made.apply(production(stack()), everything);
      return applied(made, production(stack()));
    },
  },
  'old-secret': {
    'Add --target production.compose.shop,': async (made) =>
      plan(await made.manifest(sharesSecret), made.world(), { narrowing: readNarrowing({ target: [main, shop] }) }),
    'or run trueup apply for the rest right after.': async (made) => {
      await made.apply(sharesSecret, everything);
      return applied(made, sharesSecret);
    },
  },
  'left-alone': {
    'Remove by hand those that should not stay.': async (made) => {
      const [composeId] = Object.keys(made.emulator.world.tables.compose);
      await made.emulator.act('compose.update', { composeId, env: 'A=1\n' });
      return applied(made, production(stack('env: { A: "2" }, envMode: merge')));
    },
  },
  'goes-along': {
    'Check those objects before you apply.': async (made) => {
      await made.apply(head, everything);
      return applied(made, head);
    },
  },
  'not-effective': {
    'Follow the message.': async (made) => {
      const text = production(database('deploy: never').replace('example', 'another'));
      await made.apply(text, everything);
      return applied(made, text);
    },
  },
  pending: {
    'Connect it there.': async (made) => {
      await made.emulator.act('gitlab.connect', { gitlabId: providerOf(made)?.['gitlabId'] });
      return applied(made, gitProvider);
    },
    'If the platform does not have it, remove the block, apply, and put it back.': {
      forPeople: 'only the page Git of the platform shows whether it has it',
    },
  },
  'stays-there': {
    'Delete it there before you declare it again: it would be created twice.': async (made) => {
      await made.apply(head, everything);
      await made.emulator.act('gitProvider.remove', { gitProviderId: providerOf(made)?.['gitProviderId'] });
      return applied(made, head);
    },
  },
  'similar-name': {
    'If they are the same, write name: "mian" in the block,': (made) =>
      applied(made, production(database('name: mian'))),
    'or import it: trueup import production.postgres.main id_1.': (made) =>
      imported(made, production(database()), main, 'id_1'),
  },
  'project-renamed': {
    'Write project: store, or its id: a run without this state looks for a project called project-1.': (made) =>
      applied(made, named('store')),
  },
  renamed: {
    'If that is one object under a new name, write moved: [{ from: "production.postgres.main", to: "production.postgres.database" }].':
      (made) => applied(made, database2 + movedFrom(main, 'production.postgres.database')),
  },
  'not-deployed': {
    'Push to its repository, or deploy it once in the platform.': {
      forPeople: 'the platform of this code has no operation for it',
    },
  },
} satisfies Record<keyof typeof provocations, Row>;
