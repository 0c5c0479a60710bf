/** What the command line calls of the controller: a bundle of its own, which other commands do not load. */

import type { DemoOptions } from './demo/demo.ts';
import type { ServeOptions } from './serve.ts';

export { examineController } from './doctor.ts';
export { enrol, remove } from './enrol.ts';
/** As `serve` of serve.ts; the page is loaded where it is served. */
export async function serve(options: ServeOptions): Promise<void> {
  return (await import('./serve.ts')).serve(options);
}

/** As `demo` of demo/demo.ts. */
export async function demo(options: DemoOptions): Promise<void> {
  return (await import('./demo/demo.ts')).demo(options);
}

export { migrateTables, newKey, work } from './work.ts';
