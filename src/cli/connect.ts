import type { Settings } from '../manifest/settings.ts';
import type { OpenClient, OpeningInput } from '../project/connect.ts';
import { readStateOf } from '../operate/addressed.ts';
import * as project from '../project/connect.ts';
import { openProject as open } from '../project/open-project.ts';
import { openStore } from '../project/open-store.ts';
import type { Validated } from '../workflow/validate.ts';
import type { NamedPlatform, Target } from '../project/target.ts';
import type { Connection, Platform } from '../workflow/session.ts';
import type { Settled } from './options.ts';
import { renderBulkOff, renderFewer, renderPause } from './pause-text.ts';
import type { Terminal } from './terminal.ts';

/** The options and the terminal of a command that opens a platform. */
interface CommandInput {
  readonly options: Settled;
  readonly terminal: Pick<Terminal, 'err'>;
}

type CommandOpening = CommandInput &
  Omit<OpeningInput, 'options' | 'onPause' | 'onFewer' | 'onBulkOff' | 'connections' | 'bulk'>;

/** Opens the platform and the state of a manifest for a command. */
export function connect(settings: Settings, about: CommandOpening): Promise<Connection> {
  return project.connect(settings, onTerminal(about));
}

/** Reads a manifest, and opens its platform and its state, for a command that plans without a lock. */
export function openProject<Loaded extends Validated>(
  load: Parameters<typeof open<Loaded>>[0],
  about: CommandOpening & { readonly destroys?: boolean },
): ReturnType<typeof open<Loaded>> {
  return open(load, onTerminal(about));
}

/** The platform and the state of a manifest, for the sessions of a command. */
export function platformOf(settings: Settings, about: CommandInput): Platform {
  return project.platformOf(settings, onTerminal(about));
}

/** Opens a platform for a command that needs no state. */
export function openPlatform(platform: NamedPlatform, about: CommandOpening): Promise<OpenClient> {
  return project.openPlatform(platform, onTerminal(about));
}

/** Reads the state of a target once; undefined: there is none yet. @throws {Stop} `state`, when it is of another project */
export function readState({ project, state }: Pick<Target, 'project' | 'state'>, options: Settled) {
  return readStateOf(project, openStore(state, options));
}

/** Pauses of the platform, that it is overloaded, and the end of bulk reads are reported on the terminal. */
function onTerminal<T extends CommandInput>(about: T) {
  const { options, terminal } = about;
  const onPause: OpeningInput['onPause'] = (pause) => terminal.err(renderPause(pause));
  const onBulkOff: OpeningInput['onBulkOff'] = (why) => terminal.err(renderBulkOff(why));
  let isTold = false;
  const onFewer: OpeningInput['onFewer'] = (count) => {
    if (!isTold) terminal.err(renderFewer(count));
    isTold = true;
  };
  const { connections, bulk = true } = options;
  return { ...about, connections, bulk, onPause, onFewer, onBulkOff };
}
