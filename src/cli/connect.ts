import { join } from 'node:path';
import type { Client } from '../api/client.ts';
import { createClient } from '../api/client.ts';
import type { Pause } from '../api/circuit-breaker.ts';
import { createTransport } from '../api/transport.ts';
import type { Send } from '../api/wire.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { lateOperations } from '../kind/command-call.ts';
import type { Settings } from '../manifest/settings.ts';
import type { World } from '../reconcile.ts';
import { kinds } from '../resources/index.ts';
import type { Platform } from '../session.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { openEmulatorFile } from './emulator-file.ts';
import { openStore } from './open-store.ts';
import type { Settled } from './options.ts';
import { renderPause } from './pause-text.ts';
import { checkExpected } from './platform-address.ts';
import type { Terminal } from './terminal.ts';

/** The platform and the state of a run; close ends the connections, and then releases the lock of the state. */
export interface Connection {
  readonly world: World;
  close(): Promise<void>;
}

/** Connects to the platform and the state of a manifest. The first request is sent later, by who uses it. */
export async function connect(settings: Settings, about: OpeningInput): Promise<Connection> {
  const { redactor } = about;
  const store = openStore(settings, about);
  const { client, close } = await openPlatform(settings.platform, about);
  return {
    world: { client, store, kinds, addSecret: redactor.add, redact: redactor.redact },
    close: async () => {
      try {
        await close();
      } finally {
        await store.close();
      }
    },
  };
}

/** The platform and the state of a manifest, for sessions of a command. */
export function platformOf(settings: Settings, run: Pick<OpeningInput, 'options' | 'redactor' | 'terminal'>): Platform {
  return {
    kinds,
    connect: async ({ connections: _given, ...about }) => {
      const opened = await connect(settings, { ...run, ...about });
      return { ...opened.world, close: () => opened.close() };
    },
  };
}

/** What connecting needs to know of the run. */
interface OpeningInput {
  readonly options: Settled;
  readonly redactor: Redactor;
  readonly terminal: Pick<Terminal, 'err'>;
  readonly purpose: string;
  /** The time for a whole request, or that of each by its operation. Milliseconds. */
  readonly deadlineMs?: number | ((operation: string) => number);
  /** Throws when no write may start any more. */
  readonly mayWrite?: () => void;
}

/** Makes the client of a platform; close ends the connections. */
export async function openPlatform(
  platform: Settings['platform'],
  { options, redactor, terminal, purpose, deadlineMs, mayWrite }: OpeningInput,
): Promise<{ readonly client: Client; readonly close: () => Promise<void> }> {
  const unexpected = checkExpected(platform, process.env.TRUEUP_URL);
  if (unexpected.length > 0) throw new Stop('refused', unexpected);
  const open = (send: Send, url: string, apiKey: string): Client => {
    redactor.add(apiKey);
    const onPause = (pause: Pause): void => terminal.err(renderPause(pause));
    return createClient({ send, url, apiKey, redact: redactor.redact, onPause });
  };
  if (platform === 'emulator') {
    const { emulator, close } = await openEmulatorFile(join(options.folder, '.trueup', 'emulator.json'), purpose, {
      apiKey: emulatorKey,
    });
    const send: Send = async (request) => {
      if (request.method === 'POST') mayWrite?.();
      return emulator.send(request);
    };
    return closing(open(send, 'http://embedded-emulator', emulatorKey), close);
  }
  const apiKey = readApiKey(platform.url);
  const late = lateOperations(kinds);
  const transport = createTransport({
    url: platform.url,
    connections: options.connections,
    isLong: (operation) => late.has(operation),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(mayWrite === undefined ? {} : { mayWrite }),
  });
  return closing(open(transport.send, platform.url, apiKey), () => transport.close());
}

/** A client that waits for nothing any more once its connections end. */
function closing(client: Client, close: () => Promise<void>) {
  return {
    client,
    close: async () => {
      client.close();
      await close();
    },
  };
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
