/** One deployment that waits or runs. */
export interface Job {
  /** The service it is for. */
  readonly owner: string;
  /** The server it runs on: one job at a time per server. */
  readonly server: string;
  begin(): void;
  /** `killed` says that the build process was killed from outside. */
  finish(killed: boolean): void;
}

/** The platform's queue: in memory, answered before the work, one job at a time per server. */
export interface Queue {
  add(job: Job): void;
  /** Forgets the waiting jobs of a service; what runs goes on. */
  clean(owner: string): void;
  /** Makes the running job of a server end in failure. */
  kill(server: string): void;
}

interface Line {
  readonly waiting: Job[];
  running: { readonly job: Job; killed: boolean } | undefined;
}

/** Makes a queue in which every job waits for its turn of the event loop and then runs for `delayMs`. */
export function createQueue(delayMs: number): Queue {
  const lines = new Map<string, Line>();

  const lineOf = (server: string): Line => {
    const line = lines.get(server) ?? { waiting: [], running: undefined };
    lines.set(server, line);
    return line;
  };

  const advance = (line: Line): void => {
    const job = line.waiting.shift();
    if (job === undefined) return;
    const running = { job, killed: false };
    line.running = running;
    later(0, () => {
      job.begin();
      later(delayMs, () => {
        line.running = undefined;
        job.finish(running.killed);
        advance(line);
      });
    });
  };

  return {
    add(job) {
      const line = lineOf(job.server);
      line.waiting.push(job);
      if (line.running === undefined) advance(line);
    },
    clean(owner) {
      for (const line of lines.values()) {
        const kept = line.waiting.filter((job) => job.owner !== owner);
        line.waiting.splice(0, line.waiting.length, ...kept);
      }
    },
    kill(server) {
      const running = lineOf(server).running;
      if (running !== undefined) running.killed = true;
    },
  };
}

/** A timer that does not keep the process alive: nobody is left to ask about the deployment then. */
function later(milliseconds: number, act: () => void): void {
  setTimeout(act, milliseconds).unref();
}
