import { importObject } from '../../src/workflow/import-object.ts';
import { moveInState, removeFromState } from '../../src/operate/edit-state.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { session } from '../../src/workflow/session.ts';
import { applyOver, connection, idOf } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';

/** Walks of a user: manifests that are applied one after another, and what happens in between. */

/** A manifest as YAML reads it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Tree = any;

/** The permissions of an ordinary apply: a yes to adoptions, and no flag for losses. */
export const noFlags = { dataLoss: false, adoption: true };

/** One step: a manifest that is applied, or another act. */
export type Step = Readonly<Record<string, unknown>> | ((made: Bench) => Promise<unknown>);

export interface Walk {
  /** What the user does, as the end of "a user applies, and then". */
  readonly does: string;
  readonly steps: readonly Step[];
}

/** The text of a manifest. */
export const textOf = (tree: Tree): string => JSON.stringify(tree);

/** Takes one step. */
export function take(made: Bench, step: Step): Promise<unknown> {
  return typeof step === 'function' ? step(made) : made.apply(textOf(step), noFlags);
}

// Blocks

const source = (tag = '1') => ({ type: 'raw', composeFile: `services: { web: { image: "nginx:${tag}" } }` });
export const stack = (tag = '1', more: Tree = {}) => ({ source: source(tag), ...more });
export const cache = (more: Tree = {}) => ({ dockerImage: 'redis:8', databasePassword: 'correct-horse-1', ...more });
export const database = (more: Tree = {}) => ({
  dockerImage: 'postgres:17',
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: 'correct-horse-2',
  ...more,
});
export const web = (more: Tree = {}) => ({ source: { type: 'docker', image: 'nginx:1.27' }, ...more });
export const domain = (more: Tree = {}) => ({ serviceName: 'web', port: 80, ...more });
const pair = (name: string) => ({
  publicKey: `ssh-ed25519 AAAA${name} shop`,
  privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`,
});
export const key = (name = 'one') => ({ name: `deploy ${name}`, ...pair(name) });
export const certificate = (name = 'shop') => ({
  name,
  certificateData: `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`,
  privateKey: 'k',
});
/** `count` compose stacks. */
export const stacks = (count: number, from = 0): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at + from}`, stack()]));

/** A manifest; `more` stands beside its environments. */
export const manifest = (environments: Tree, more: Tree = {}): Tree => ({
  trueup: 1,
  platform: 'emulator',
  project: 'prj_1',
  ...more,
  ...(environments === undefined ? {} : { environments }),
});
/** A manifest with the sections of the production environment. */
export const production = (sections: Tree = {}, more: Tree = {}): Tree => manifest({ production: sections }, more);

export const organization = { organizations: { Organization: {} } };

// Acts

/** Applies the parts of a manifest that are named. */
export const targeting =
  (tree: Tree, ...target: readonly string[]) =>
  async (made: Bench) =>
    session(await made.manifest(textOf(tree)), made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
      run.apply(await run.plan({ narrowing: readNarrowing({ target }) }), noFlags),
    );

/** Applies a manifest until the platform got so many writes: then the run is interrupted, and nothing more arrives. */
export const killed = (tree: Tree, writes: number) => async (made: Bench) => {
  const stop = new AbortController();
  let left = writes;
  const send: typeof made.emulator.send = async (request) => {
    if (stop.signal.aborted) throw connection('ECONNREFUSED');
    const answer = await made.emulator.send(request);
    if (request.method === 'POST' && --left === 0) stop.abort();
    return answer;
  };
  await applyOver(made, textOf(tree), send, { permissions: noFlags, signal: stop.signal, connections: 1 });
};

/** Changes the platform by hand. */
export const byHand =
  (operation: string, input: (made: Bench) => Record<string, unknown>) =>
  (made: Bench): Promise<unknown> =>
    made.emulator.act(operation, input(made));

/** Imports the object that the state had at an address before. */
export const importing = (tree: Tree, address: string, id: (made: Bench) => string) => async (made: Bench) => {
  await importObject(await made.manifest(textOf(tree)), made.world(), address, id(made));
};

/** `trueup state rm`. */
export const removing =
  (...addresses: readonly string[]) =>
  async (made: Bench): Promise<void> => {
    const { store } = made;
    if (store.state === undefined) throw new Error('there is no state');
    store.state = removeFromState(store.state, addresses).state;
  };

/** `trueup state mv`. */
export const moving =
  (from: string, to: string) =>
  async (made: Bench): Promise<void> => {
    const { store } = made;
    if (store.state === undefined) throw new Error('there is no state');
    store.state = moveInState(store.state, { from, to }, made.world().kinds).state;
  };

/** Loses the state. */
export const losing = async (made: Bench): Promise<void> => {
  made.store.state = undefined;
};

/** `trueup destroy`. */
export const destroying = (tree: Tree) => (made: Bench) => made.destroy(textOf(tree));

/** The id of an address in the state, remembered for a later step. */
export function remembered(address: string) {
  let id = '';
  return {
    note: async (made: Bench): Promise<void> => {
      id = idOf(made, address);
    },
    id: (): string => id,
  };
}
