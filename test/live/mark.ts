import { randomBytes } from 'node:crypto';

/** The name that everything of one run has or begins with, so that it is found again whatever became of the run. */
export const newMark = (): string => `trueup-live-${randomBytes(3).toString('hex')}`;

/** Whether a name says that an object is of such a run, of this one or an earlier one. */
export const isMarked = (name: string): boolean => /^trueup-live-[0-9a-f]{6}(?![0-9a-zA-Z])/.test(name);
