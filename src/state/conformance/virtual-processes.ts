import { setTimeout } from 'node:timers/promises';
import type { BeatingClock } from '../clock.ts';
import type { Host } from '../host.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

/** A process in a virtual time: it can be stopped, go on, be killed, and have its wall clock set. */
export interface VirtualProcess {
  readonly clock: BeatingClock;
  readonly host: Host;
  /** As SIGSTOP does: time passes, and nothing runs. */
  stop(): void;
  goOn(): void;
  kill(): void;
  /** A person sets its clock forward, or back. */
  setClock(byMs: number): void;
  /** Its clocks stand still, as between a look at them and the next step. */
  freezeClock(): void;
}

/** Time that passes when a test says so, and the processes in it. */
export interface ProcessTime {
  /** Milliseconds since the test began. */
  readonly now: () => number;
  readonly pass: (ms: number) => Promise<void>;
  readonly process: (about?: { readonly machine?: string }) => VirtualProcess;
}

/** Makes a time for processes whose disks or servers take some time of the machine. Never throws. */
export function processTime({
  whilePassing = () => Promise.resolve(),
  isIdle = () => true,
}: {
  /** Told of every step, before anything happens then. */
  readonly whilePassing?: (ms: number) => Promise<void>;
  /** Whether everything that was begun is done. */
  readonly isIdle?: () => boolean;
} = {}): ProcessTime {
  const time = virtualTime();
  let pids = 0;
  const alive = new Set<number>();

  /** Lets everything come to its end that was set off. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet = isIdle() ? quiet + 1 : 0) await setTimeout(2);
  };

  return {
    now: time.now,
    pass: async (ms) => {
      for (let left = ms; left > 0;) {
        const step = Math.min(left, 500);
        await whilePassing(step);
        left -= step;
        if (time.moveTo(time.now() + step)) await settle();
      }
    },
    process: ({ machine = 'here' } = {}) => {
      const pid = ++pids;
      alive.add(pid);
      return processIn(time, alive, { pid, machine });
    },
  };
}

function processIn(
  time: VirtualTime,
  alive: Set<number>,
  { pid, machine }: { readonly pid: number; readonly machine: string },
): VirtualProcess {
  let isStopped = false;
  let set = 0;
  let frozen: number | undefined;
  return {
    clock: time.clockOf({
      runs: () => !isStopped && alive.has(pid),
      sees: (now) => frozen ?? now,
      setBy: () => set,
    }),
    host: {
      owner: `user${pid}@${machine} pid ${pid}`,
      machine,
      pid,
      isAlive: (other) => alive.has(other),
      newId: () => `${pid}-${Math.random().toString(36).slice(2)}`,
    },
    stop: () => {
      isStopped = true;
    },
    goOn: () => {
      isStopped = false;
    },
    kill: () => void alive.delete(pid),
    setClock: (byMs) => {
      set += byMs;
    },
    freezeClock: () => {
      frozen = time.now();
    },
  };
}
