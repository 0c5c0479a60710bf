import type { Settings } from '../manifest/settings.ts';
import type { ReadAhead } from '../observe/read-ahead.ts';
import type { Validated } from '../workflow/validate.ts';
import { planAhead } from '../workflow/plan-ahead.ts';
import type { OpenConnection } from '../workflow/session.ts';
import { type OpeningInput, connect } from './open-connection.ts';
import { checkAddresses } from './platform-address.ts';

/** A manifest that was checked, and the open connection to its platform and its state. */
interface OpenProject<Loaded extends Validated> {
  readonly validated: Loaded;
  readonly connection: OpenConnection;
}

/** Reads and checks a manifest; calls its argument once the settings are read. */
export type Load<Loaded extends Validated> = (onSettings: (settings: Settings) => Promise<void>) => Promise<Loaded>;

/**
 * Reads and checks a manifest, and opens its platform and its state, to read them. Meanwhile it reads what a plan with that
 * state reads in any case; a mistake in the manifest ends that.
 *
 * @throws whatever `load` and `connect` throw, in this order.
 */
export async function openProject<Loaded extends Validated>(
  load: Load<Loaded>,
  about: OpeningInput & { readonly destroys?: boolean },
): Promise<OpenProject<Loaded>> {
  let opening: Promise<OpenConnection> | undefined;
  let ahead: Promise<ReadAhead | undefined> | undefined;
  try {
    const validated = await load(async (settings) => {
      if (opening !== undefined || !mayReadAhead(settings, about)) return;
      opening = connectToRead(settings, about);
      ahead = opening.then((connection) => planAhead(settings, connection, about));
      const asked = ahead.catch(() => undefined); // the mistakes of the manifest come first
      if (isNear(settings, about)) await asked;
    });
    opening ??= connectToRead(validated.manifest.settings, about);
    const connection = await opening;
    return { validated, connection: { ...connection, ahead: await ahead } };
  } catch (error) {
    const connection = await opening?.catch(() => undefined);
    await connection?.close();
    throw error;
  }
}

/** Whether it is worth it to begin before the manifest is checked. */
export function mayReadAhead(
  { platform, state, secrets }: Settings,
  { options }: Pick<OpeningInput, 'options'>,
): boolean {
  // The embedded emulator answers at once, and has a lock.
  if (platform.emulator) return false;
  // Sources may ask a person: what was read before may be old then, and its errors could quote what was not known yet.
  if (secrets.length > 0) return false;
  // An address that may not be used is a mistake in the manifest.
  return checkAddresses({ platform, state }, options).length === 0;
}

/** Whether the state is in files of this machine. Elsewhere it may not answer, and the mistakes of the manifest do not wait for it. */
export function isNear({ state }: Settings, { options }: Pick<OpeningInput, 'options'>): boolean {
  return (state?.backend ?? 'local') === 'local' && (options.env['TRUEUP_STATE_URL'] ?? '') === '';
}

/** A connection that gives up the requests on their way when it is closed: none of them writes. */
async function connectToRead(settings: Settings, about: OpeningInput): Promise<OpenConnection> {
  const connection = await connect(settings, about);
  const close = async (): Promise<void> => {
    connection.abandon?.();
    await connection.close();
  };
  return { ...connection, close };
}
