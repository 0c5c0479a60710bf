import { attempts } from './attempts.ts';
import type { Call } from './failed-call.ts';
import { type CircuitBreaker, isMaybeAlone, whyToWait } from './circuit-breaker.ts';
import { PlatformError } from './platform-error.ts';
import { explainMissingRight, explainRefusedAlone } from './failures.ts';
import { explainEnd, explainPause } from './pauses.ts';
import type { Ending, Slots } from './slots.ts';

/** The permission to send: a connection of its own, and a platform that takes requests. */
export interface Permit {
  readonly epoch: number;
  /** The platform took nothing while this was waited for, so what was read before may be old. */
  readonly hasPaused: boolean;
  /** The refusal of a request on this permit; the platform did not execute that request. */
  refusal?: PlatformError;
}

/** Gives out permits. */
export interface Permits {
  /**
   * Runs work on a permit. When the platform refuses one of its requests unexecuted (429, a refused key or connection),
   * the work runs again from its beginning, on a new permit, once the platform takes requests again.
   *
   * @throws {PlatformError} with the outcome `not executed`, when waiting was in vain; and whatever the work throws.
   */
  run<T>(call: Call, signal: AbortSignal | undefined, work: (permit: Permit) => Promise<T>): Promise<T>;
}

/** The surroundings of permits. */
export interface PermitOptions {
  readonly breaker: CircuitBreaker;
  readonly slotsFor: (operation: string) => Slots;
  /** The requests on their way. */
  readonly underWay: ReadonlySet<Promise<unknown>>;
  /** Whether the key may lack rights: not where it is known to be one of an owner or admin. */
  readonly mayLackRights: () => boolean;
}

/** Makes permits out of connections and a circuit breaker. Never throws. */
export function createPermits({ breaker, slotsFor, underWay, mayLackRights }: PermitOptions): Permits {
  /** The operations that the platform refuses alone: each time, it accepted the key right after it. */
  const denied = new Set<string>();

  /** Whether a refusal can be a missing right: some of those have a code and no sentence, as a refused key has. */
  const looksDenied = ({ code }: PlatformError): boolean => code !== undefined && mayLackRights();
  /** How often the key has to be accepted right after a refusal, so that this is about the request alone. */
  const enoughDenials = (operation: string, refusal: PlatformError): number => {
    const { denials, refusalsAlone } = attempts.refused;
    return looksDenied(refusal) || denied.has(operation) ? denials : refusalsAlone;
  };
  const explainDenial = (call: Call, refusal: PlatformError): PlatformError => {
    if (!refusal.isKeyRefused) return refusal;
    return looksDenied(refusal) ? explainMissingRight(call, refusal) : explainRefusedAlone(call, refusal);
  };

  return {
    run: async (call, signal, work) => {
      let hasPaused = false;
      let last: PlatformError | undefined;
      let denials = 0;
      const operation = call.served ?? call.operation;
      for (let sends = 0; ;) {
        const isAgain = sends > 0;
        const leave = await breaker.whenClosed(signal);
        if (leave.is === 'ended') throw explainEnd(call, isAgain);
        if (leave.is === 'refused' && last !== undefined) throw last;
        if (leave.is !== 'granted') throw explainPause(call, leave);
        if (last !== undefined && isMaybeAlone(whyToWait(last))) {
          if (leave.isKeyGood === true) denials += 1;
          if (denials >= enoughDenials(operation, last)) {
            denied.add(operation);
            throw explainDenial(call, last);
          }
        }
        const slot = await slotsFor(call.operation).take();
        const epoch = breaker.epoch();
        hasPaused ||= isAgain || leave.hasWaited || epoch !== leave.epoch;
        if (epoch === undefined) {
          slot.release('other');
          continue;
        }
        // From here to the request nothing is awaited: another one may be refused at any time.
        const permit: Permit = { epoch, hasPaused };
        sends += 1;
        let ending: Ending = 'other';
        try {
          const result = await work(permit);
          ending = 'good';
          denied.delete(operation);
          return result;
        } catch (error) {
          if (isOverload(error)) ending = 'overloaded';
          const { refusal } = permit;
          const why = refusal === undefined || error !== refusal ? undefined : whyToWait(refusal);
          if (refusal === undefined || why === undefined) throw error;
          last = refusal;
          if (refusal.isKeyRefused && looksDenied(refusal) && denied.has(operation))
            throw explainMissingRight(call, refusal);
          // Of several first requests that are sent at once, a refused one may come back before a good one.
          if (why !== 'throttled' && breaker.goodAnswers() === 0) await Promise.allSettled(underWay);
          if (sends === attempts.refused.most || !breaker.trip(refusal, why, permit.epoch)) throw error;
        } finally {
          slot.release(ending);
        }
      }
    },
  };
}

/** Whether a platform, or the proxy before it, has too much to do: another request at the same time would do harm. */
function isOverload(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.failure === 'timeout' || [429, 502, 503, 504].includes(error.status ?? 0);
}
