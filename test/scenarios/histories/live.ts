import { modelOf } from '../../support/random-blocks.ts';
import type { Command, History } from '../../support/random-commands.ts';
import type { Edit } from '../../support/random-edits.ts';
import { applyEdit } from '../../support/random-edits.ts';
import { converge, destroy, loseState, rebuild, review } from './converge.ts';
import type { Step } from './history.ts';
import type { Life } from './life.ts';
import { drift } from './life.ts';
import type { Run } from './run.ts';

/** From the numbers of a random history to its steps: some follow from what came of those before. */
export async function live(run: Run, { commands, there, ...begin }: History, steps: Step[]): Promise<void> {
  const life: Life = { run, model: modelOf(begin), steps, about: [] };
  await drift(life, there);
  for (const command of commands) await obey(life, command);
  await converge(life);
  await destroy(life);
}

async function obey(life: Life, command: Command): Promise<void> {
  switch (command.command) {
    case 'edit':
      edit(life, command.edits);
      return;
    case 'apply':
      await converge(life, command.trouble, command.meanwhile);
      return;
    case 'drift':
      await drift(life, [command.drift]);
      return;
    case 'renew':
      await converge(life);
      edit(life, [{ edit: 'renew', at: command.at }]);
      await converge(life, command.trouble);
      return;
    case 'review':
      await review(life, {
        meanwhile: async () => {
          await drift(life, command.drifts);
          edit(life, command.edits);
        },
        trouble: command.trouble,
      });
      return;
    case 'destroy':
      await destroy(life, command.drifts, command.trouble);
      return;
    case 'lose state':
      await loseState(life);
      return;
    case 'rebuild state':
      await loseState(life);
      await drift(life, command.drifts);
      await rebuild(life);
      return;
    default:
      command satisfies never;
  }
}

function edit(life: Life, edits: readonly Edit[]): void {
  for (const one of edits) {
    const words = applyEdit(life.model, one);
    if (words !== undefined) life.about.push(words);
  }
}
