import type { Profile } from '../api/contract.ts';
import type { Send } from '../api/wire.ts';
import { attempts } from '../api/attempts.ts';
import { sharedBreaker, sharedSlots } from '../api/shared-limits.ts';
import { usage } from '../diagnostics/usage.ts';
import { platformAt as namedPlatformAt } from '../manifest/settings.ts';
import type { GivenPlatform, OpeningInput } from '../project/open-connection.ts';
import { type Handle, createHandles } from './handle.ts';
import { countOf } from './numbers.ts';

/** A platform that plans and sessions connect to, with its key. */
export type Platform = Handle<'platform'>;

/** The address of a platform, and a key for it. */
export interface PlatformOptions {
  /** http or https, without user, query and fragment: plans and errors show it. */
  readonly url: string;
  readonly apiKey: string;
  /** Most requests at a time, of all plans and sessions of this platform together; 4 by default. */
  readonly connections?: number;
  /** Sends requests instead of HTTP: those of an emulator. */
  readonly send?: Send;
  /** The words of the platform; by default the manifest or the platform itself shows them. */
  readonly profile?: Profile;
  /** false: each read is a request of its own; by default reads go together where the platform takes that. */
  readonly bulk?: boolean;
  /** Called at most once per plan or session, when reads turn out not to go together; with the reason, as a clause. */
  readonly onBulkOff?: (why: string) => void;
}

/** A platform, and how its reads are sent. */
interface PlatformContent extends Pick<OpeningInput, 'bulk' | 'onBulkOff'> {
  readonly platform: GivenPlatform;
}

const handles = createHandles<'platform', PlatformContent>('platform');

/** Reads the content of a platform, for the library itself. @throws {TypeError} when it is none of Trueup. */
export const platformOf = handles.read;

/**
 * Names a platform for manifests that are not to choose it. All that runs there by this value shares the requests at a time, and
 * the pauses of a key that is used up. Opens nothing yet.
 *
 * @throws {Stop} `usage`, when `url` is no address of a platform, or `connections` is no whole number of at least 1.
 */
export function platformAt({
  url,
  apiKey,
  connections = attempts.connections.usual,
  profile,
  send,
  ...reading
}: PlatformOptions): Platform {
  if (namedPlatformAt(url)?.url === undefined) {
    throw usage('platformAt: url is no address of a platform', 'Give https://…, without user, query and fragment.');
  }
  const slots = sharedSlots();
  const most = countOf('platformAt: connections', connections);
  const limits = { slots: () => slots(most), breaker: sharedBreaker() };
  return handles.make({ platform: { url, apiKey, profile, send, limits }, ...reading });
}
