import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Send } from '../../src/api/wire.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { failure } from '../../src/emulator/faults/fault-answers.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { exportDocument } from '../../src/render/document-schemas.ts';
import { session } from '../../src/workflow/session.ts';
import { applyCommand, exportCommand, planCommand, stateRemoveCommand } from '../cli/asked.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { main } from './in-plans.ts';
import { cut, once } from './in-runs.ts';
import type { Ended } from './provoked.ts';
import { database, everything, filesIn, head, production, reported, stack } from './provoked.ts';
import { planned, ran } from './remedies-in-runs.ts';
import type { OtherRemedy } from './remedy.ts';
import { applied } from './remedy.ts';

/** Exports in a folder, and returns the notes of the export. */
async function exported(made: Bench, flags: Parameters<typeof exportCommand>[0]): Promise<readonly Diagnostic[]> {
  const { printed, terminal } = recordingTerminal();
  await execute(exportCommand(flags), { folder: made.folder, terminal, format: 'json' });
  return exportDocument.parse(JSON.parse(printed.out)).diagnostics as readonly Diagnostic[];
}

/** Applies in a folder, and plans there: that plan has no change. */
async function appliedThere(made: Bench, text: string): Promise<readonly Diagnostic[]> {
  filesIn(made, { 'trueup.yaml': text });
  await ran(made, applyCommand({ autoApprove: true, adopt: true }));
  await plansNothing(made);
  return planned(made);
}

async function plansNothing(made: Bench): Promise<void> {
  const { actions } = JSON.parse(await ran(made, planCommand({}))) as { actions: { action: string }[] };
  if (actions.some(({ action }) => action !== 'no-op')) throw new Error('the plan after apply has changes');
}

/** The ids of the databases that the platform has. */
const databases = (made: Bench) => Object.keys(made.emulator.world.tables.postgres);

const values = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };

/** Carries a request out, creates the same database by hand, and gives no answer. */
const besideOneByHand =
  (made: Bench) =>
  async (send: Send, request: Parameters<Send>[0]): Promise<never> => {
    await send(request);
    await made.emulator.act('postgres.create', { ...values, dockerImage: 'postgres:17', environmentId: 'env_prj_1' });
    throw cut();
  };

/** Two backups: the second one says where it goes by the id of the block that the first one refers to. */
const backups = (first = '', second = '', prefix = 'shop/') => {
  const backup = (to: string, more: string, at: string) =>
    `{ schedule: "0 3 * * *", destinationId: ${to}, prefix: ${at}${more} }`;
  const both = `a: ${backup('"${ref:destinations.store.id}"', first, 'shop/')}, b: ${backup('dst_1', second, prefix)}`;
  return `${production(database(`backups: { ${both} }`))}destinations:\n  store: { id: dst_1 }\n`;
};

const theBackup = (made: Bench) => Object.keys(made.emulator.world.tables.backup)[0] ?? '';

const declared = 'project: { name: shop, description: The shop. }';

const pem = (what: string) => `"-----BEGIN ${what}-----\\nb25l\\n-----END ${what}-----\\n"`;
const certificate = `${head}certificates:\n  shop: { certificateData: ${pem('CERTIFICATE')}, privateKey: ${pem('PRIVATE KEY')} }\n`;

/** Works with the same platform and state, where the platform updates no certificate. */
async function withoutUpdates(made: Bench, work: (there: Bench) => Promise<Ended>): Promise<Ended> {
  const there = bench({ emulator: made.emulator, clock: made.clock, lacks: ['certificates.update'] });
  there.store.state = made.store.state;
  const ended = await work(there);
  made.store.state = there.store.state;
  return ended;
}

/** Remedies that name a flag, an id or the state, of what only an apply, an export or the settings report. */
export const otherInRuns: Readonly<Record<string, OtherRemedy>> = {
  'a create without an answer beside the same by hand': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(() => {
        once(made, 'postgres.create', besideOneByHand(made));
        return made.apply(production(database()), everything);
      }),
    row: {
      'Write id: with the one that is meant,': (made) =>
        applied(made, production(database(`id: ${databases(made)[0]}`))),
      'or remove the other on the platform.': async (made) => {
        await made.emulator.act('postgres.remove', { postgresId: databases(made)[1] });
        return applied(made, production(database()));
      },
    },
  },
  'two blocks of one object': {
    code: 'ambiguous',
    provoke: (made) =>
      reported(async () => {
        await made.apply(backups().replace(/, b: \{[^}]*\}/, ''), everything);
        made.store.state = undefined;
        return made.plan(backups());
      }),
    row: {
      'Write id: in the one that it is,': (made) => applied(made, backups(`, id: ${theBackup(made)}`)),
      'or another database or destinationId or prefix in one of them.': (made) =>
        applied(made, backups('', '', 'store/')),
    },
  },
  'what was stored with an error, and no operation can write again': {
    code: 'stored-anyway',
    provoke: (made) =>
      reported(async () => {
        once(made, 'certificates.create', async (send, request) => {
          await send(request);
          return failure(500);
        });
        return withoutUpdates(made, async (there) => {
          await there.apply(certificate, everything);
          return there.plan(certificate);
        });
      }),
    row: {
      'Replace the object: --replace certificates.shop.': (made) =>
        withoutUpdates(made, async (there) => {
          const narrowing = readNarrowing({ replace: ['certificates.shop'] });
          await session(
            await there.manifest(certificate),
            there.platform(),
            { purpose: 'apply', clock: made.clock },
            async (run) => run.apply(await run.plan({ narrowing }), everything),
          );
          const next = await there.plan(certificate);
          if (hasChanges(next)) throw new Error('the plan after the replacement has changes');
          return next;
        }),
    },
  },
  'a moved: that is no list': {
    code: 'wrong-type',
    provoke: (made) =>
      reported(async () => {
        await made.apply(production(database()), everything);
        return made.plan(`${production(database('', 'database'))}moved: ${main}\n`);
      }),
    row: {
      'Write a list: moved: [{ from: address, to: address }].': (made) => {
        const moved = `moved: [{ from: ${main}, to: production.postgres.database }]\n`;
        return applied(made, production(database('', 'database')) + moved);
      },
    },
  },
  'an export of what the state has and the manifest does not': {
    code: 'usage',
    provoke: (made) =>
      reported(async () => {
        filesIn(made, { 'trueup.yaml': production(stack() + database()) });
        await ran(made, applyCommand({ autoApprove: true }));
        filesIn(made, { 'trueup.yaml': production(stack()) });
        return exported(made, { address: main });
      }),
    row: {
      'Check that /srv/infra/.trueup/state.json is the state of this manifest.': {
        forPeople: 'only they know which state they mean',
      },
      [`Then trueup state rm '${main}' removes it there.`]: async (made) => {
        await ran(made, stateRemoveCommand([main], { yes: true }));
        const notes = await exported(made, { address: main });
        await plansNothing(made);
        return notes;
      },
    },
  },
  'an export of a project with values of its own': {
    code: 'not-exported',
    provoke: (made) =>
      reported(async () => {
        await appliedThere(made, head.replace('project: prj_1', declared));
        await ran(made, stateRemoveCommand(['project'], { yes: true }));
        filesIn(made, { 'trueup.yaml': head.replace('prj_1', 'shop') });
        return exported(made, {});
      }),
    row: {
      'Declare them in a block of the project with name: "shop", and apply with --adopt.': async (made) => {
        const written = readFileSync(join(made.folder, 'trueup.yaml'), 'utf8');
        await appliedThere(made, written.replace('project: shop', declared));
        const notes = await exported(made, { unmanaged: true });
        // Members and keys go on having notes of this code, which are not about the project.
        return notes.filter(({ message }) => message.includes('project'));
      },
    },
  },
};
