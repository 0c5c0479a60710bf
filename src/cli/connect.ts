import { basename, join } from 'node:path';
import { createClient } from '../api/client.ts';
import { createTransport } from '../api/transport.ts';
import type { Send } from '../api/wire.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../manifest/settings.ts';
import type { World } from '../reconcile.ts';
import { kinds } from '../resources/index.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { localStore } from '../state/local.ts';
import { openEmulatorFile } from './emulator-file.ts';
import type { Settled } from './options.ts';
import { checkExpected } from './platform-address.ts';

/** The platform and the state of a run; close ends the connections. */
export interface Connection {
  readonly world: World;
  close(): Promise<void>;
}

/** Connects to the platform of a manifest. The first request is sent later, by who uses it. */
export async function connect(
  settings: Settings,
  { options, redactor, purpose }: { options: Settled; redactor: Redactor; purpose: string },
): Promise<Connection> {
  const { platform } = settings;
  const unexpected = checkExpected(platform, process.env.TRUEUP_URL);
  if (unexpected.length > 0) throw new Stop('refused', unexpected);
  const open = (send: Send, url: string, apiKey: string, close: () => Promise<void>): Connection => {
    redactor.add(apiKey);
    const client = createClient({ send, url, apiKey, redact: redactor.redact });
    return { world: { client, store: localStore(stateFolder(options)), kinds, conceal: redactor.add }, close };
  };
  if (platform === 'emulator') {
    const { emulator, close } = await openEmulatorFile(join(options.folder, '.trueup', 'emulator.json'), purpose, {
      apiKey: emulatorKey,
    });
    return open(emulator.send, 'http://embedded-emulator', emulatorKey, close);
  }
  const apiKey = readApiKey(platform.url);
  const transport = createTransport({ url: platform.url, connections: options.connections });
  return open(transport.send, platform.url, apiKey, () => transport.close());
}

/** The folder beside the manifest in which its state is kept; each manifest of a folder has a state of its own. */
export function stateFolder({ folder, file }: Settled): string {
  return file === 'trueup.yaml' ? join(folder, '.trueup') : join(folder, '.trueup', basename(file));
}

/** The API key of the embedded emulator, which guards nothing. */
export const emulatorKey = 'emulator-key';

function readApiKey(url: string): string {
  const key = process.env.TRUEUP_API_KEY ?? '';
  if (key !== '') return key;
  throw new Stop('authentication', [
    diagnostic('secret-missing', `there is no API key for ${url}`, {
      remedy: 'Set TRUEUP_API_KEY. The key is made in the profile of a user of the platform.',
    }),
  ]);
}
