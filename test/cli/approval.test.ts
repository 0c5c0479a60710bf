import { expect, test } from 'vitest';
import { applyCommand, destroyCommand } from './asked.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { processOfTest } from '../support/process.ts';
import { project } from './process.ts';

/** Whoever approves sees which project of which platform changes. */

const manifest =
  'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: mine }, staging: {} }\n';

async function asked(folder: string, command: Parameters<typeof execute>[0], input: string) {
  const signals = processOfTest({ cwd: folder, input });
  const { terminal, printed } = recordingTerminal({ isInteractive: true });
  const exit = await execute(command, { folder, terminal, signals });
  return { exit, question: signals.printed.err + signals.printed.out, out: printed.out };
}

test('U13: the question before an apply and before a destruction names the project and the platform', async () => {
  const folder = project(manifest);
  const refused = await asked(folder, applyCommand({}), 'no\n');
  expect(refused.exit).toBe('failed');
  expect(refused.question).toContain('Apply this plan to project project-1 (prj_1) on the embedded emulator?');
  const applied = await asked(folder, applyCommand({}), 'yes\n');
  expect(applied.exit).toBe('done');
  expect((await asked(folder, applyCommand({}), '')).out).toContain('No changes.');
  const destroyed = await asked(folder, destroyCommand({}), 'no\n');
  expect(destroyed.question).toContain('Delete all of this from project project-1 (prj_1) on the embedded emulator?');
});
