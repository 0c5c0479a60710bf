/** Slots for requests on their way at a time. */
export interface Slots {
  /** Takes a slot, first come first served; resolves with the function that gives it back. Never rejects. */
  take(): Promise<() => void>;
}

/** Makes so many slots. Never throws. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    take: async () => {
      if (free > 0) {
        free -= 1;
      } else {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
      return release;
    },
  };
}
