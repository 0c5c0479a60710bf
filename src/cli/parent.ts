import type { Environment } from '../project/folder.ts';
import type { Process } from './process.ts';

/** The variable that `trueup-ci` sets: it decides right before the first write. */
const variable = 'TRUEUP_APPROVAL';

/** The messages of a program and of the parent that it asks. */
export const approvalMessages = {
  question: 'trueup: may this be applied?',
  yes: 'trueup: yes',
  no: 'trueup: no',
} as const;

/** What the parent sets for a program that is to ask it. */
export const askingParent = { [variable]: 'parent' } as const;

/**
 * Asks the program that started this one whether a plan may be applied; without such a parent the answer is yes. Silence is no:
 * a parent that ended, or that cannot be asked.
 */
export async function parentApproves(process: Omit<Process, 'env'>, env: Environment): Promise<boolean> {
  if (env[variable] !== askingParent[variable]) return true;
  if (process.send === undefined) return false;
  return new Promise((resolve) => {
    const end = (answer: unknown): void => {
      process.off('message', end);
      process.off('disconnect', end);
      resolve(answer === approvalMessages.yes);
    };
    process.on('message', end);
    process.on('disconnect', end);
    process.send?.(approvalMessages.question);
  });
}
