import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { gitOf, gitOptions, processFormats, processOf, processOptions, withController } from '../controller.ts';
import { readInteger } from '../settle-options.ts';

/** Works what is due until a signal, together with all other workers of the database. */
export const command = defineCommand({
  options: {
    '--concurrency <n>': { about: 'runs at a time', default: '4' },
    '--settings <file>': 'settings of the page: waves, and links at forges; the same for all workers',
    ...gitOptions,
    ...processOptions,
  },
  notes:
    'Polls repositories, plans and applies what their policy allows, and looks for drift. Start as many workers as you like: each run has one worker, and those of a worker that died go on within a minute.',
  examples: ['trueup controller work', 'trueup controller work --concurrency 8 --log json'],
  formats: processFormats,
  execute: async (run, view, { flags }) => {
    const concurrency = readInteger('--concurrency', flags.concurrency, 1, 64);
    const settings = flags.settings === undefined ? undefined : resolve(run.process.cwd(), flags.settings);
    const options = {
      ...processOf(run, flags),
      ...gitOf(run, flags),
      concurrency,
      settings,
      onReady: () => view.report({ works: true }),
    };
    await withController(({ work }) => work(options));
    return 'done';
  },
});
