import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import {
  gitOf,
  gitOptions,
  labelsOf,
  processFormats,
  processOf,
  processOptions,
  withController,
} from '../controller.ts';
import { readInteger, usage } from '../settle-options.ts';

/** Works what is due until a signal, together with all other workers of the database. */
export const command = defineCommand({
  options: {
    '--concurrency <n>': { about: 'runs at a time', default: '4' },
    '--only <name=value>': {
      about: 'take only stacks on the platforms that are enrolled with this label; repeatable: with all of them',
      isRepeatable: true,
    },
    '--settings <file>': 'settings of the page: waves, and links at forges; the same for all workers without --only',
    ...gitOptions,
    ...processOptions,
  },
  notes: `Polls repositories, plans and applies what their policy allows, and looks for drift. Start as many workers as you like: each run has
one worker, and those of a worker that died go on within a minute. A worker with --only runs where it reaches platforms that others do
not, such as behind NAT: it needs the database, git and these platforms, and leaves polls, forges and messages to the others.`,
  examples: [
    'trueup controller work',
    'trueup controller work --concurrency 8 --log json',
    'trueup controller work --only site=paris',
  ],
  formats: processFormats,
  execute: async (run, view, { flags }) => {
    const concurrency = readInteger('--concurrency', flags.concurrency, 1, 64);
    const only = labelsOf('--only', flags.only);
    if (Object.keys(only).length > 0 && flags.settings !== undefined)
      throw usage('--settings is for workers without --only', 'Leave it out: waves and messages are worked elsewhere.');
    const settings = flags.settings === undefined ? undefined : resolve(run.process.cwd(), flags.settings);
    const options = {
      ...processOf(run, flags),
      ...gitOf(run, flags),
      concurrency,
      only,
      settings,
      onReady: () => view.report({ works: true }),
    };
    await withController(({ work }) => work(options));
    return 'done';
  },
});
