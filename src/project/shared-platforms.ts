import type { ClientOptions } from '../api/client.ts';
import { keptIn } from '../api/once.ts';
import { type TakeSlots, sharedBreaker, sharedSlots } from '../api/shared-limits.ts';
import type { FilesRead } from '../manifest/workspace.ts';
import type { RootClaims } from './claims.ts';

/** What the runs of one command line for several root files share. */
export interface SharedPlatforms {
  /** The limits of a platform for a key: requests at a time are those of the platform, pauses those of the key. */
  readonly limitsOf: (url: string, apiKey: string) => NonNullable<ClientOptions['limits']>;
  /** Opens what takes one run at a time, such as the file of an emulator, once the runs that have it closed it. */
  readonly oneAtATime: <T extends { readonly close: () => Promise<void> }>(
    file: string,
    open: () => Promise<T>,
  ) => Promise<T>;
  /** What root files declare, by their paths, and the files of each folder: each is read once. */
  readonly claims: Map<string, Promise<RootClaims | undefined>>;
  readonly files: Map<string, FilesRead>;
}

/** Makes what runs for several root files share. */
export function sharedPlatforms(): SharedPlatforms {
  const slots = new Map<string, TakeSlots>();
  const breakers = new Map<string, ReturnType<typeof sharedBreaker>>();
  const last = new Map<string, Promise<void>>();
  return {
    claims: new Map(),
    files: new Map(),
    limitsOf: (url, apiKey) => ({
      slots: keptIn(slots, url, sharedSlots),
      breaker: keptIn(breakers, `${url}\n${apiKey}`, sharedBreaker),
    }),
    oneAtATime: async (file, open) => {
      const before = last.get(file);
      let leave = (): void => undefined;
      last.set(file, new Promise((resolve) => (leave = resolve)));
      await before;
      try {
        const opened = await open();
        const close = async (): Promise<void> => {
          await opened.close().finally(leave);
        };
        return { ...opened, close };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
