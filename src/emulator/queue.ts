import type { Row } from './json-rows.ts';

/** One deployment that waits or runs. */
export interface Job {
  /** The service it is for, and what that is. */
  readonly owner: string;
  readonly table: 'application' | 'compose';
  /** The server it runs on: one job at a time per server. */
  readonly server: string;
  /** What the queue shows of it. */
  about(): Row;
  begin(): void;
  /** Milliseconds that it takes longer than others; Infinity: it never ends by itself. */
  pullTime(): number;
  /** `killed` says that the build process was killed from outside. */
  finish(killed: boolean): void;
}

/** The platform's queue: in memory, answered before the work, one job at a time per server. */
export interface Queue {
  add(job: Job): void;
  /** What waits and runs, newest first. */
  list(): Row[];
  /** Forgets the waiting jobs of a service; what runs goes on. */
  clean(owner: string): void;
  /** Makes what runs on a server for services of one table end in failure. */
  kill(table: Job['table'], server: string): void;
  /** Forgets everything; what runs never finishes. */
  forget(): void;
}

/** A job with its number in the order of the queue. */
interface Numbered extends Job {
  readonly number: number;
}

interface Line {
  readonly waiting: Numbered[];
  /** The job whose turn it is, whether it has begun, and how to keep what is next for it from happening. */
  current: { readonly job: Numbered; readonly hasBegun: boolean; readonly cancel: () => void } | undefined;
}

/** Makes a queue in which every job waits for its turn of the event loop and then runs for `delayMs`. */
export function createQueue(delayMs: number): Queue {
  const lines = new Map<string, Line>();
  let count = 0;

  const lineOf = (server: string): Line => {
    const line = lines.get(server) ?? { waiting: [], current: undefined };
    lines.set(server, line);
    return line;
  };

  const advance = (line: Line): void => {
    const job = line.waiting.shift();
    line.current = job === undefined ? undefined : { job, hasBegun: false, cancel: later(0, () => begin(line, job)) };
  };

  const begin = (line: Line, job: Numbered): void => {
    job.begin();
    const lasts = delayMs + job.pullTime();
    const cancel = lasts === Infinity ? () => {} : later(lasts, () => end(line, job, false));
    line.current = { job, hasBegun: true, cancel };
  };

  const end = (line: Line, job: Numbered, killed: boolean): void => {
    job.finish(killed);
    advance(line);
  };

  return {
    add(job) {
      const line = lineOf(job.server);
      count += 1;
      line.waiting.push({ ...job, number: count });
      if (line.current === undefined) advance(line);
    },
    list() {
      const jobs = [...lines.values()].flatMap(({ waiting, current }) => [
        ...waiting.map((job) => ({ job, state: 'waiting' })),
        ...(current === undefined ? [] : [{ job: current.job, state: current.hasBegun ? 'active' : 'waiting' }]),
      ]);
      const newestFirst = jobs.toSorted((a, b) => b.job.number - a.job.number);
      return newestFirst.map(({ job, state }) => ({ id: `job-${job.number}`, ...job.about(), state }));
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
