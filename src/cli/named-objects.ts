import type { Kind } from '../kind/kind.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { serveRemembered } from '../observe/discover.ts';
import { type Addressed, findObjects, objectsOn } from '../operate/addressed.ts';
import type { OpenClient } from '../project/open-connection.ts';
import { declaredResources } from '../project/load.ts';
import { type Target, findTarget } from '../project/target.ts';
import { projectOf } from '../state/bound.ts';
import type { State } from '../state/state.ts';
import type { Run } from './command.ts';
import { readState, withPlatform } from './connect.ts';

/** The objects that a command line names, with the kinds as the platform serves them. */
interface NamedObjects extends Pick<OpenClient, 'client' | 'abandon'> {
  readonly objects: readonly Addressed[];
  readonly kinds: readonly Kind[];
  readonly platform: Target['platform'];
  /** The project that they have to be in; undefined where neither a manifest nor a state names one. */
  readonly project: string | undefined;
}

/**
 * Finds objects by their addresses, opens their platform, and works with them. `check` refuses what cannot be done to them:
 * with all kinds before the first request, and again with what the platform serves.
 *
 * @throws {Stop} `refused`, with every address that leads nowhere.
 */
export async function withObjects<const T>(
  run: Run,
  {
    addresses,
    givenId,
    purpose,
    deadlineMs,
    check,
  }: {
    readonly addresses: readonly string[];
    readonly givenId: string | undefined;
    readonly purpose: string;
    readonly deadlineMs?: (objects: readonly Addressed[]) => (operation: string) => number;
    readonly check: (objects: readonly Addressed[], kinds: readonly Kind[], state: State | undefined) => void;
  },
  work: (named: NamedObjects) => Promise<T>,
): Promise<T> {
  const { options } = run;
  const target = await findTarget(options);
  const state = await readState(target, options);
  const declared = () => declaredResources(options);
  const found = await findObjects({ kinds: options.kinds, state, declared, addresses, givenId });
  check(found, options.kinds, state);
  return withPlatform(run, target.platform, { purpose, deadlineMs: deadlineMs?.(found) }, ({ client, abandon }) => {
    serveRemembered(client, state);
    const kinds = kindsThere(options.kinds, client.contract);
    const objects = objectsOn(found, kinds);
    check(objects, kinds, state);
    const project = state === undefined ? target.project : projectOf(state);
    return work({ client, abandon, objects, kinds, platform: target.platform, project });
  });
}
