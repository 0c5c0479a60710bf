import { attempts } from './attempts.ts';
import {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  type Leave,
  type Pause,
  createCircuitBreaker,
} from './circuit-breaker.ts';
import { type Slots, createSlots } from './slots.ts';

/** The slots of a platform: for requests that are answered at once, and for those that are not. */
interface PlatformSlots {
  readonly usual: Slots;
  readonly long: Slots;
}

/** Gives the slots of a platform to a client; `onFewer` is called when there are fewer. */
export type TakeSlots = (connections: number, onFewer?: (count: number) => void) => PlatformSlots;

/** Gives each client slots of its own. */
export const ownSlots: TakeSlots = (connections, onFewer) => ({
  usual: createSlots(connections, onFewer),
  long: createSlots(attempts.connections.long),
});

/** Gives all clients of a platform the same slots: as many as the first client asked for. */
export function sharedSlots(): TakeSlots {
  const listeners = new Set<(count: number) => void>();
  let slots: PlatformSlots | undefined;
  return (connections, onFewer) => {
    if (onFewer !== undefined) listeners.add(onFewer);
    slots ??= ownSlots(connections, (count) => listeners.forEach((report) => report(count)));
    return slots;
  };
}

/**
 * Gives all clients of an API key one circuit breaker: what makes one client wait makes all of them wait, and one of them asks
 * whether the platform takes requests again. A client that ends leaves the others alone.
 */
export function sharedBreaker(): typeof createCircuitBreaker {
  const members = new Set<CircuitBreakerOptions>();
  // They hold no client that has ended: a program may know a thousand platforms.
  const onPause = (pause: Pause): void => members.forEach((member) => member.onPause(pause));
  const ask: CircuitBreakerOptions['ask'] = async () => [...members][0]?.ask();
  let shared: CircuitBreaker | undefined;
  return (options) => {
    members.add(options);
    shared ??= createCircuitBreaker({ ...options, ask, onPause });
    return member(shared, () => void members.delete(options));
  };
}

/** The circuit breaker of one client of several. */
function member(shared: CircuitBreaker, leave: () => void): CircuitBreaker {
  const ended = new AbortController();
  const whenClosed = async (signal?: AbortSignal): Promise<Leave> => {
    if (ended.signal.aborted) return { is: 'ended' };
    return shared.whenClosed(signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]));
  };
  return {
    ...shared,
    whenClosed,
    epoch: () => (ended.signal.aborted ? undefined : shared.epoch()),
    trip: (...refused) => !ended.signal.aborted && shared.trip(...refused),
    end: () => {
      leave();
      ended.abort();
    },
  };
}
