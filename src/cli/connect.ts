import type { Pause } from '../api/circuit-breaker.ts';
import type { NamedPlatform } from '../api/profile.ts';
import { describeRefusal } from '../api/pauses.ts';
import { readStateOf } from '../operate/addressed.ts';
import type { Settings } from '../manifest/settings.ts';
import type { OpenClient, OpeningInput } from '../project/open-connection.ts';
import * as project from '../project/open-connection.ts';
import { type Load, openProject } from '../project/open-project.ts';
import { openStore } from '../project/open-store.ts';
import { type Target, findState } from '../project/target.ts';
import type { StateStore } from '../state/state.ts';
import type { OpenConnection, Platform } from '../workflow/session.ts';
import type { Validated } from '../workflow/validate.ts';
import type { Run } from './command.ts';
import type { Settled } from './settle-options.ts';

/** The options and the terminal of a command that opens a platform. */
type Opener = Pick<Run, 'options'> & { readonly terminal: Pick<Run['terminal'], 'err'> };

/** The purpose and the limits of a connection. */
type Purpose = Omit<OpeningInput, 'options' | 'onPause' | 'onFewer' | 'onBulkOff' | 'connections' | 'bulk'>;

/** Reads and checks the manifest of a run, and prints its warnings. @throws whatever `load` throws */
export async function loadFor<Loaded extends Validated, Asked>(
  run: Pick<Run, 'options' | 'warn'>,
  load: (options: Settled, asked?: Asked) => Promise<Loaded>,
  asked?: Asked,
): Promise<Loaded> {
  const validated = await load(run.options, asked);
  run.warn(validated.warnings);
  return validated;
}

/** Works with the platform and the state of a manifest, and closes both. */
export async function withConnection<const T>(
  run: Opener,
  settings: Settings,
  purpose: Purpose,
  work: (connection: OpenConnection) => Promise<T>,
): Promise<T> {
  return closing(await project.connect(settings, onTerminal(run, purpose)), work);
}

/** Reads a manifest, and works with its platform and its state, for a command that plans without a lock. */
export async function withProject<Loaded extends Validated, const T>(
  run: Opener,
  load: Load<Loaded>,
  purpose: Purpose & { readonly destroys?: boolean },
  work: (validated: Loaded, connection: OpenConnection) => Promise<T>,
): Promise<T> {
  const { validated, connection } = await openProject(load, onTerminal(run, purpose));
  return closing(connection, () => work(validated, connection));
}

/** Works with a platform without its state, and closes it. */
export async function withPlatform<const T>(
  run: Opener,
  platform: NamedPlatform,
  purpose: Purpose,
  work: (platform: OpenClient) => Promise<T>,
): Promise<T> {
  return closing(await openPlatform(run, platform, purpose), work);
}

/** Opens a platform without its state. */
export function openPlatform(run: Opener, platform: NamedPlatform, purpose: Purpose): Promise<OpenClient> {
  return project.openPlatform(platform, onTerminal(run, purpose));
}

/** Works with the storage of the state of a folder, and closes it. */
export async function withStore<const T>(
  { options }: Pick<Run, 'options'>,
  work: (store: StateStore, project: Target['project']) => Promise<T>,
  how?: Parameters<typeof openStore>[2],
): Promise<T> {
  const { project: named, state } = await findState(options);
  return closing(openStore(state, options, how), (store) => work(store, named));
}

/** The platform and the state of a manifest, for the sessions of a command. */
export function platformOf(settings: Settings, run: Opener): Platform {
  return project.platformOf(settings, onTerminal(run, {}));
}

/** Reads the state of a target once; undefined: there is none yet. @throws {Stop} `state`, when it is of another project */
export function readState({ project: named, state }: Pick<Target, 'project' | 'state'>, options: Settled) {
  return readStateOf(named, openStore(state, options));
}

async function closing<Opened extends { readonly close: () => Promise<void> }, T>(
  opened: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Pauses of the platform, that it is overloaded, and the end of bulk reads are reported on the terminal. */
function onTerminal<P extends object>({ options, terminal }: Opener, purpose: P) {
  const onPause: OpeningInput['onPause'] = (pause) => terminal.err(renderPause(pause));
  const onBulkOff: OpeningInput['onBulkOff'] = (why) => terminal.err(renderBulkOff(why));
  let isReported = false;
  const onFewer: OpeningInput['onFewer'] = (count) => {
    if (!isReported) terminal.err(renderFewer(count));
    isReported = true;
  };
  const { connections, bulk } = options;
  return { ...purpose, options, connections, bulk, onPause, onFewer, onBulkOff };
}

/** Renders the start and the end of a pause of the platform, as one line. */
function renderPause(pause: Pause): string {
  const seconds = (ms: number): number => Math.round(ms / 1_000);
  return pause.event === 'paused'
    ? `${describeRefusal(pause)}: waiting up to ${seconds(pause.limitMs)} s\n`
    : `the platform accepts requests again after ${seconds(pause.waitedMs)} s\n`;
}

/** Renders the reason why objects are read one by one from now on, as one line. */
function renderBulkOff(why: string): string {
  return `note: Trueup reads each object with a request of its own from now on: ${why}. --no-bulk does so from the start.\n`;
}

/** Renders how many requests are sent at a time to a platform that is overloaded, as one line. */
function renderFewer(count: number): string {
  return `note: the platform does not keep up, or limits requests: Trueup sends at most ${count} requests at a time, and more again while it answers well.\n`;
}
