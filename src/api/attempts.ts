/**
 * The table of attempts: every count, pause and limit of a request. Times in milliseconds.
 */
export const attempts = {
  /** A read that failed is sent again, because reading twice harms nothing. */
  read: {
    /** Sent at most, while the platform answers other requests. */
    most: 10,
    /** Sent at most while it does not: the address may be wrong, and the key goes to no stranger more often. */
    mostInDoubt: 4,
    /** The same, where the answer is a page of another server. */
    mostUnreadableInDoubt: 2,
    /** Errors of the platform itself after which its word stands. */
    mostErrors: 6,
    /** The first pause is random up to this, and each one after it up to twice as long. */
    firstPauseMs: 500,
    /** No pause is longer than this, unless the platform asks for it. */
    longestPauseMs: 8_000,
    /** The longest pause that the platform may ask for. */
    longestAskedMs: 30_000,
    /** How long a good answer shows that the platform is there. */
    answeringMs: 60_000,
  },
  /** A request that the platform surely did not execute (429, or a refused key) is sent again, a write too. */
  refused: {
    /** Sent at most, although others get through. */
    most: 10,
  },
  /** While the platform takes no requests, all of them wait, and user.get asks whether it does again. */
  pause: {
    /** The first question comes after a random time up to this, and each one after it up to twice as late. */
    firstMs: 1_000,
    /** No question comes later than this, unless the platform asks for it. */
    longestMs: 30_000,
    /** The longest wait in a row. */
    limitMs: 600_000,
  },
  /** Requests on their way at a time. */
  connections: {
    /** Short ones, unless the user says another number. */
    usual: 4,
    /** Those that answer when minutes of work are over: more than anybody deploys at once, few enough for a process. */
    long: 64,
  },
  /** One request. */
  request: {
    /** For connecting, headers and body together, unless its operation has another deadline. */
    deadlineMs: 30_000,
    /** The platform refuses bodies above 1 MiB; the distance leaves room for a proxy that counts differently. Bytes. */
    mostBytes: 1_000_000,
    /** The longest answer that is read. Bytes. */
    mostAnswerBytes: 64 * 1024 * 1024,
  },
  /** One connection. */
  connection: {
    /**
     * Platforms and proxies close idle connections after 5 s or more, and a write sent into that moment has an unknown
     * outcome; so a connection is given up well before.
     */
    idleMs: 2_900,
    /** A connection without traffic shows after this time that it is alive, before a router forgets it. */
    signOfLifeMs: 15_000,
  },
  /** A deployment: few looks, because many are over at once, and more of them later. */
  deployment: {
    /** The longest that it may take, unless the user says another limit. */
    limitMs: 900_000,
    /** The pauses between two looks, each `pauseGrowth` times as long as the one before, up to a longest one. */
    firstPauseMs: 50,
    pauseGrowth: 2,
    longestPauseMs: 2_000,
    /** After this time the looks are rarer. */
    rarerAfterMs: 60_000,
    longestRarePauseMs: 5_000,
    /** The same for one that the platform may never have accepted: nearly everything that was shows at once. */
    inDoubt: { pauseGrowth: 10, longestPauseMs: 30_000 },
    /** The lines of its log that are reported when it failed. */
    logLines: 10,
  },
  /** What the platform shows of what was written. */
  effect: {
    /** In-flight timeout: after this time a request that got no answer can take effect no more, unless the user says another. */
    timeoutMs: 60_000,
    /** How long a write may take to show in what is read. */
    lagMs: 5_000,
    /** The pauses between two looks within the lag. */
    pauses: { firstMs: 500, growth: 3 },
    /** The pauses while the object of a lost create is looked for, over the whole in-flight timeout. */
    rarePauses: { firstMs: 200, growth: 10 },
  },
  /** What was read, before it is acted upon. */
  reading: {
    /** How old the row of a scope may be when something of it is overwritten or deleted. */
    freshMs: 5_000,
    /** What one look did not show is looked for again after this time: a replica of the platform may lag. */
    secondLookMs: 5_000,
    /** How far the clocks of two machines may be apart: one that nobody sets is off by less. */
    clocksApartMs: 600_000,
    /** How long before its request goes out the time of a pending operation may have been noted. */
    noteAgeMs: 1_000,
  },
} as const;

/** What is done about a request of which nobody knows whether it was executed. */
export interface Policy {
  /** What shows on the platform that it was. */
  readonly lookFor: 'its object' | 'its effect' | 'its mark';
  /** When it is sent again. What comes to the same when it is executed twice need not wait. */
  readonly again: 'at once' | 'after the in-flight timeout';
  /** How often it is sent at most; a request that was surely not executed does not count. */
  readonly most: number;
  /** The pause before it is sent again, and how many times as long each one is after it. Milliseconds. */
  readonly pauseMs: number;
  readonly pauseGrowth: number;
}

const harmless = { lookFor: 'its effect', again: 'at once', most: 4, pauseMs: 500, pauseGrowth: 2 } as const;
const late = { again: 'after the in-flight timeout', most: 4, pauseMs: 0, pauseGrowth: 1 } as const;

/** The policy of each request that a plan can hold, by its role. */
export const policies = {
  create: { lookFor: 'its object', ...late },
  update: harmless,
  move: harmless,
  delete: harmless,
  reset: harmless,
  deploy: { lookFor: 'its mark', ...late },
} as const satisfies Record<string, Policy>;
