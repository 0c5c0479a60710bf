import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEmulator } from '../../emulator/emulator.ts';
import { serve } from '../../emulator/http-server.ts';

/** An emulated platform. */
export interface DemoPlatform {
  readonly id: string;
  readonly url: string;
  /** The file with its key. */
  readonly keyFile: string;
  /** Changes the environment of its service by hand, as an operator does in a hurry. */
  readonly changeByHand: (line: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Serves an emulated platform, on a free port of this machine, with its key in a file of a folder. */
export async function startPlatform(folder: string, id: string): Promise<DemoPlatform> {
  const apiKey = `key-of-${id}`;
  const emulator = createEmulator({ profile: 'dokploy', apiKey, deployDelayMs: 1_500 });
  const server = await serve(emulator);
  const { url } = server;
  const keyFile = join(folder, `${id}.key`);
  await writeFile(keyFile, `${apiKey}\n`);
  await chmod(keyFile, 0o600);
  return {
    id,
    url,
    keyFile,
    close: () => server.close(),
    changeByHand: async (line) => {
      const [service] = Object.values(emulator.world.tables.compose);
      if (service === undefined) throw new Error(`${id} has no service yet`);
      const { status, body } = await emulator.send({
        method: 'POST',
        path: '/api/compose.update',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ composeId: service['composeId'], env: `${String(service['env'])}\n${line}` }),
      });
      if (status !== 200) throw new Error(`compose.update of ${id}: ${status} ${body}`);
    },
  };
}
