import type { MigrationDocument } from '../../render/document-schemas.ts';
import { reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { withController } from '../controller.ts';

/** Makes the tables of the controller, or brings them up to date. */
export const command = defineCommand({
  notes: `serve and work do the same when they start, unless --no-migrate is given: then this is a step of its own before them.

An older version refuses tables of a newer one. To go back after an upgrade, bring both schemas back from a copy of before it:
  pg_dump -n trueup_controller -n trueup_controller_queue -f before.sql "$TRUEUP_CONTROLLER_URL"
  psql "$TRUEUP_CONTROLLER_URL" -c 'drop schema trueup_controller, trueup_controller_queue cascade' -f before.sql
The states are in a schema of their own, trueup, and stay as they are: they say what the platforms have.`,
  examples: ['trueup controller migrate'],
  formats: reportFormats<readonly string[]>({
    text: (ran, { out }) =>
      out(ran.length === 0 ? 'The tables are up to date.\n' : `Brought the tables up to date: ${ran.join(', ')}.\n`),
    json: (migrations): MigrationDocument => ({ format: 'trueup/controller-migration', version: 1, migrations }),
  }),
  execute: async ({ options }, view) => {
    view.report(await withController(({ migrateTables }) => migrateTables(options.env)));
    return 'done';
  },
});
