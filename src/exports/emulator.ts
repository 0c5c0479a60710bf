/**
 * The platform in memory, on disk, and over HTTP, for tests.
 *
 * ```ts
 * import { createEmulator, serve } from 'trueup/emulator';
 *
 * const server = await serve(createEmulator({ apiKey: 'a-key' }));
 * process.stdout.write(`${server.url}\n`);
 * await server.close();
 * ```
 */

export type { Emulator, EmulatorOptions, LoggedRequest } from '../emulator/emulator.ts';
export { createEmulator } from '../emulator/emulator.ts';
export { openEmulator } from '../emulator/emulator-on-disk.ts';
export type { ServeOptions } from '../emulator/http-server.ts';
export { serve } from '../emulator/http-server.ts';
