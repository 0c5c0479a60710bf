/** What the command line calls of the controller: a bundle of its own, which other commands do not load. */

export { examineController } from './doctor.ts';
export { enrol } from './enrol.ts';
export { migrateTables, newKey, work } from './work.ts';
