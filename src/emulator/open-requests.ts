import { HungUp } from './error-answers.ts';

/** The requests that stay open while what they ordered is done. */
export interface OpenRequests {
  /** Resolves after so many milliseconds, never for Infinity; rejects when the platform hangs up before. */
  stay(milliseconds: number): Promise<void>;
  /** Ends all of them without an answer. */
  hangUp(): void;
}

/** Makes the open requests of a platform; there are none yet. */
export function createOpenRequests(): OpenRequests {
  const endings = new Set<() => void>();
  return {
    stay: (milliseconds) =>
      new Promise((resolve, reject) => {
        const timer =
          milliseconds === Infinity
            ? undefined
            : setTimeout(() => {
                endings.delete(end);
                resolve();
              }, milliseconds);
        const end = (): void => {
          clearTimeout(timer);
          reject(new HungUp());
        };
        endings.add(end);
      }),
    hangUp() {
      for (const end of endings) end();
      endings.clear();
    },
  };
}
