import { defined } from '../formats/json.ts';
import { createAsk } from '../api/ask-address.ts';
import type { Profile } from '../api/contract.ts';
import { createClient } from '../api/client.ts';
import { createTransport } from '../api/transport.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Send } from '../api/wire.ts';
import { lateOperations } from '../kind/command-call.ts';
import { type NamedPlatform, contractAt, recognising } from '../api/profile.ts';
import type { Kind } from '../kind/kind.ts';
import { kinds as allKinds } from '../resources/index.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { OpenConnection, Connecting, Platform as OpenPlatform } from '../workflow/session.ts';
import type { StateStore } from '../state/state.ts';
import { type Handle, createHandles } from './handle.ts';

/** A platform and the storage of a state, that plans and sessions connect to. */
export type Platform = Handle<'platform'>;

/** The address of a platform, and the storage of its state. */
export interface PlatformOptions {
  readonly url: string;
  readonly apiKey: string;
  /** Opens the storage of the state; called once per plan and per session, which closes it. */
  readonly openStore: () => StateStore;
  /** Sends requests instead of HTTP: those of an emulator. */
  readonly send?: Send;
  /** The kinds of the manifests; all of Trueup by default. */
  readonly kinds?: readonly Kind[];
  /** The words of the platform; by default the manifest or the platform itself shows them. */
  readonly profile?: Profile;
  /** false: each read is a request of its own; by default reads go together where the platform takes that. */
  readonly bulk?: boolean;
  /** Called at most once per plan or session, when reads turn out not to go together; with the reason, as a clause. */
  readonly onBulkOff?: (why: string) => void;
}

const handles = createHandles<'platform', (redactor: Redactor, inManifest: NamedPlatform) => OpenPlatform>('platform');

/** Reads the content of a platform, for the library itself. @throws {TypeError} when it is none of Trueup. */
export const openerOf = handles.read;

/** Names a platform for manifests that are not to choose it, and a storage for the state. Opens nothing yet. Never throws. */
export function platformAt(options: PlatformOptions): Platform {
  const { kinds = allKinds, profile } = options;
  return handles.make((redactor, { profile: inManifest }) => {
    if (profile !== undefined && inManifest !== undefined && profile !== inManifest)
      throw contradiction(inManifest, profile);
    return { kinds, connect: (about) => Promise.resolve(connect(options, { kinds, redactor, inManifest, about })) };
  });
}

/** The error for a manifest and a platform that are to have different words. */
function contradiction(inManifest: Profile, profile: Profile): Stop {
  const message = `the manifest says profile: ${inManifest}, and platformAt says ${profile}`;
  return stop('refused', 'inconsistent', message, { remedy: 'Make the two agree, or leave one out.' });
}

function connect(
  { url, apiKey, openStore, send, profile, bulk, onBulkOff }: PlatformOptions,
  {
    kinds,
    redactor,
    inManifest,
    about,
  }: { kinds: readonly Kind[]; redactor: Redactor; inManifest: Profile | undefined; about: Connecting },
): OpenConnection {
  const { mayWrite, deadlineMs, connections } = about;
  const late = lateOperations(kinds);
  const isLong = (operation: string): boolean => late.has(operation);
  const transport =
    send === undefined
      ? createTransport({
          url,
          isLong,
          ...defined({ deadlineMs, mayWrite }),
        })
      : { send: guarded(send, mayWrite), close: () => Promise.resolve() };
  redactor.add(apiKey);
  const plain = createClient({
    send: transport.send,
    url,
    apiKey,
    redact: redactor.redact,
    contract: contractAt({ url, profile: inManifest ?? profile }),
    isLong,
    ...defined({ connections, bulk, onBulkOff }),
  });
  const named =
    inManifest === undefined
      ? profile && { profile, by: 'platformAt', at: 'there' }
      : { profile: inManifest, by: 'the manifest', at: 'under platform:' };
  const client = recognising(plain, named);
  const store = openStore();
  return {
    client,
    store,
    kinds,
    endpoint: 'the platform',
    discovers: true,
    // Nothing is served at the addresses of an emulator.
    ask: send === undefined ? createAsk() : undefined,
    addSecret: redactor.add,
    close: async () => {
      client.close();
      try {
        await transport.close();
      } finally {
        await store.close();
      }
    },
  };
}

function guarded(send: Send, mayWrite: Connecting['mayWrite']): Send {
  return async (request) => {
    if (request.method === 'POST') mayWrite?.();
    return send(request);
  };
}
