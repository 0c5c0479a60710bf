import type { Settings } from '../manifest/settings.ts';
import type { Validated } from '../reconcile.ts';
import { planAhead } from '../reconcile.ts';
import type { Connection } from '../session.ts';
import type { OpeningInput } from './connect.ts';
import { connect } from './connect.ts';
import { checkAddresses } from './platform-address.ts';

/** A manifest that was checked, and the open connection to its platform and its state. */
interface OpenProject<Loaded extends Validated> {
  readonly validated: Loaded;
  readonly connection: Connection;
}

/** Reads and checks a manifest; calls its argument once the settings are read. */
type Load<Loaded extends Validated> = (onSettings: (settings: Settings) => Promise<void>) => Promise<Loaded>;

/**
 * Reads and checks a manifest, and opens its platform and its state. Meanwhile it reads what a plan with that state reads in
 * any case; a mistake in the manifest ends that.
 *
 * @throws whatever `load` and `connect` throw, in this order.
 */
export async function openProject<Loaded extends Validated>(
  load: Load<Loaded>,
  about: OpeningInput & { readonly destroys?: boolean },
): Promise<OpenProject<Loaded>> {
  let beginning: Promise<Connection | undefined> | undefined;
  try {
    const validated = await load(async (settings) => {
      beginning ??= connectAhead(settings, about);
      await beginning.catch(() => undefined); // the mistakes of the manifest come first
    });
    const connection = await beginning;
    return { validated, connection: connection ?? (await connect(validated.manifest.settings, about)) };
  } catch (error) {
    const connection = await beginning?.catch(() => undefined);
    connection?.abandon?.();
    await connection?.close();
    throw error;
  }
}

/** Opens a connection and begins to read. Undefined where that is not worth it. */
async function connectAhead(
  settings: Settings,
  about: OpeningInput & { readonly destroys?: boolean },
): Promise<Connection | undefined> {
  // The embedded emulator answers at once, and has a lock. An address that may not be used is a mistake in the manifest.
  if (settings.platform === 'emulator' || checkAddresses(settings, about.options).length > 0) return undefined;
  const connection = await connect(settings, about);
  try {
    return { ...connection, ahead: await planAhead(settings, connection, about) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
