/** One deployment that waits or runs. */
export interface Job {
  /** The service it is for, and what that is. */
  readonly owner: string;
  readonly table: 'application' | 'compose';
  /** The server it runs on: one job at a time per server. */
  readonly server: string;
  begin(): void;
  /** Milliseconds that it takes longer than others; Infinity: it never ends by itself. */
  pullTime(): number;
  /** `killed` says that the build process was killed from outside. */
  finish(killed: boolean): void;
}

/** The platform's queue: in memory, answered before the work, one job at a time per server. */
export interface Queue {
  add(job: Job): void;
  /** Forgets the waiting jobs of a service; what runs goes on. */
  clean(owner: string): void;
  /** Makes what runs on a server for services of one table end in failure. */
  kill(table: Job['table'], server: string): void;
  /** Forgets everything; what runs never finishes. */
  forget(): void;
}

interface Line {
  readonly waiting: Job[];
  /** The job whose turn it is, whether it has begun, and how to keep what is next for it from happening. */
  current: { readonly job: Job; readonly hasBegun: boolean; readonly cancel: () => void } | undefined;
}

/** Makes a queue in which every job waits for its turn of the event loop and then runs for `delayMs`. */
export function createQueue(delayMs: number): Queue {
  const lines = new Map<string, Line>();

  const lineOf = (server: string): Line => {
    const line = lines.get(server) ?? { waiting: [], current: undefined };
    lines.set(server, line);
    return line;
  };

  const advance = (line: Line): void => {
    const job = line.waiting.shift();
    line.current = job === undefined ? undefined : { job, hasBegun: false, cancel: later(0, () => begin(line, job)) };
  };

  const begin = (line: Line, job: Job): void => {
    job.begin();
    const lasts = delayMs + job.pullTime();
    const cancel = lasts === Infinity ? () => {} : later(lasts, () => end(line, job, false));
    line.current = { job, hasBegun: true, cancel };
  };

  const end = (line: Line, job: Job, killed: boolean): void => {
    job.finish(killed);
    advance(line);
  };

  return {
    add(job) {
      const line = lineOf(job.server);
      line.waiting.push(job);
      if (line.current === undefined) advance(line);
    },
    clean(owner) {
      for (const line of lines.values()) {
        const kept = line.waiting.filter((job) => job.owner !== owner);
        line.waiting.splice(0, line.waiting.length, ...kept);
      }
    },
    kill(table, server) {
      const line = lineOf(server);
      if (line.current?.hasBegun !== true || line.current.job.table !== table) return;
      const { job, cancel } = line.current;
      cancel();
      line.current = { job, hasBegun: true, cancel: later(0, () => end(line, job, true)) };
    },
    forget() {
      for (const { current } of lines.values()) current?.cancel();
      lines.clear();
    },
  };
}

/** Acts later, unless the answer is called before. The timer keeps no process alive. */
function later(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds).unref();
  return () => clearTimeout(timer);
}
