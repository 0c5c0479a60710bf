/**
 * The table of attempts: every count, pause and limit of a request. Times in milliseconds.
 */
export const attempts = {
  /** A failed read is sent again: reading twice harms nothing. */
  read: {
    /** Sent at most, while the platform answers other requests. */
    most: 10,
    /** Sent at most while it does not: the address may be wrong, and a stranger would get the key each time. */
    maxInDoubt: 4,
    /** The same, where the answer is a page of another server. */
    maxUnreadableInDoubt: 2,
    /** The number of errors of the platform itself after which the last one is thrown. */
    maxErrors: 6,
    /** The first pause is random up to this, and each one after it up to twice as long. */
    firstPauseMs: 500,
    /** No pause is longer than this, unless the platform asks for it. */
    longestPauseMs: 8_000,
    /** The longest pause that the platform may ask for. */
    longestAskedMs: 30_000,
    /** How long after a good answer the platform counts as reachable. */
    answeringMs: 60_000,
  },
  /** A request that the platform surely did not execute (429, or a rejected key) is sent again, also a write. */
  refused: {
    /** Sent at most while other requests succeed. */
    most: 10,
    /**
     * How often the platform refuses one with the words of a refused key, and accepts the key right after it, before that is a
     * missing right: a database that restarts does so once.
     */
    denials: 2,
    /** The same for a key that has every right, or an answer without a code: then the reason is not known. */
    refusalsAlone: 5,
  },
  /**
   * A key that was made without a limit of its own: the platform takes so many uses in so long, counted from the last one that
   * it took. A request is two uses, a batch is one. Milliseconds.
   */
  newKey: { uses: 10, windowMs: 86_400_000, usesOfRequest: 2, usesOfBatch: 1 },
  /** While the platform takes no requests, all of them wait, and user.get tests whether it does again. */
  pause: {
    /** The first test comes after a random time up to this, and each one after it up to twice as late. */
    firstMs: 1_000,
    /** No test comes later than this, unless the platform asks for it. */
    longestMs: 30_000,
    /** The longest wait in a row. */
    limitMs: 600_000,
  },
  /** A notification goes to another host than the platform. It is sent again until that host confirms it. */
  notification: {
    /** Sent at most. */
    most: 4,
    /** For connecting, headers and body together. */
    deadlineMs: 10_000,
    /** The first pause, and how many times as long each one is after it. */
    firstPauseMs: 500,
    pauseGrowth: 4,
    /** The longest pause that the receiver may ask for. */
    longestAskedMs: 30_000,
    /** The longest answer that is read; it is never shown. Bytes. */
    maxAnswerBytes: 1024 * 1024,
  },
  /** Requests on their way at a time. */
  connections: {
    /** Short ones, unless the user says another number. */
    usual: 4,
    /** Those that answer after minutes of work: more than a run deploys at once, few enough for a process. */
    long: 64,
    /** The fewest that an overloaded platform leaves: with one, a single slow request would hold everything up. */
    fewest: 2,
  },
  /** Reads that go together in one request, where a platform takes that. */
  batch: {
    /** The most reads: more gain little, because the server works for each, and the answer waits for the slowest. */
    maxItems: 40,
    /** The most batches beside the first one: in vain, where the platform turns out not to take them. */
    maxBesideTrial: 8,
    /** The comparisons with single reads that may prove nothing because the data changes meanwhile. */
    maxChanges: 3,
    /** How often a batch is sent that the platform refuses (401, 429), although it takes single requests. */
    maxRefusals: 3,
    /**
     * The longest path with its query. The server of the reference implementation takes 16,384 bytes of request line and
     * headers together; a proxy may take less. Characters.
     */
    maxCharacters: 8_000,
  },
  /** One request. */
  request: {
    /** For connecting, headers and body together, unless its operation has another deadline. */
    deadlineMs: 30_000,
    /** The platform refuses bodies above 1 MiB; the distance leaves room for a proxy that counts differently. Bytes. */
    maxBytes: 1_000_000,
    /** The longest answer that is read. Bytes. */
    maxAnswerBytes: 64 * 1024 * 1024,
    /** The most that is read of an error, beside what it may quote of the request; its rest is cancelled. Bytes. */
    maxErrorBytes: 64 * 1024,
    /** Bytes of an error per byte of the request that it quotes: escaped, in its message and in its stack. */
    quotedPerByte: 4,
  },
  /** A store that keeps a state: a bucket or a database. */
  state: {
    /** The longest answer that is read: a hundred thousand resources have less. Bytes. */
    maxAnswerBytes: 128 * 1024 * 1024,
    /** The rows of one answer of a database that are read: each takes memory, also an empty one. */
    maxRows: 1_000_000,
    /** The pages of one list of objects that are read, of 1,000 objects each. */
    maxPages: 100,
  },
  /** One connection. */
  connection: {
    /**
     * Platforms and proxies close idle connections after 5 s or more, and a write sent into that moment has an unknown
     * outcome; so a connection is given up well before.
     */
    idleMs: 2_900,
    /** The timer that gives it up may be so late. */
    lateMs: 100,
    /** A connection without traffic shows after this time that it is alive, before a router forgets it. */
    signOfLifeMs: 15_000,
  },
  /** The proxy that the environment names. */
  proxy: {
    /** For a connection to it: it is near. A lost packet is sent again after 1, 3 and 7 s. */
    connectMs: 8_000,
    /** For its answer that it has a connection to a server. */
    tunnelMs: 30_000,
  },
  /** Polls of a deployment: few at first, because many deployments end at once. */
  deployment: {
    /** The longest that it may take, unless the user says another limit. */
    limitMs: 900_000,
    /** The longest that an accepted one may wait for its beginning while the platform shows no deployment at all. */
    beginMs: 300_000,
    /** The pauses between two polls, each `pauseGrowth` times as long as the one before, up to a longest one. */
    firstPauseMs: 50,
    pauseGrowth: 2,
    longestPauseMs: 2_000,
    /** After this time the polls are rarer. */
    rarerAfterMs: 60_000,
    longestRarePauseMs: 5_000,
    /** The same for a deployment that the platform may never have accepted: an accepted one nearly always shows at once. */
    inDoubt: { pauseGrowth: 10, longestPauseMs: 30_000 },
    /** The number of lines in the report of a failed deployment: of the log of the container, and of its own. */
    logLines: 10,
    ownLogLines: 20,
  },
  /** Polls of many services at a time: while so many wait, no pause is shorter. */
  rounds: { crowd: 8, crowdPauseMs: 1_000 },
  /** Looks at the containers of a service after its deployment. */
  health: {
    /** The time from its start within which a container has to come up, and in which it is watched, unless a block says another. */
    withinMs: 30_000,
    firstPauseMs: 1_000,
    pauseGrowth: 2,
    longestPauseMs: 5_000,
    /** No look follows another one sooner. */
    minPauseMs: 500,
  },
  /** Asking the address of a service after its deployment. */
  probe: {
    /** How long it may take to answer as its probe says, unless that says another time. */
    withinMs: 30_000,
    firstPauseMs: 500,
    pauseGrowth: 2,
    longestPauseMs: 5_000,
    /** For connecting, headers and body together; an address that always takes longer is too slow for a person too. */
    deadlineMs: 10_000,
    /** The longest time for the last request, whatever is left of `withinMs`. */
    lastMs: 1_000,
    /** The most that is read of an answer. Bytes. */
    maxBytes: 1024 * 1024,
    /** Redirects on the same host that are followed in a row. */
    maxRedirects: 10,
  },
  /** The visible effect of a write. */
  effect: {
    /** In-flight timeout: after this time a request that got no answer can take effect no more, unless the user says another. */
    timeoutMs: 60_000,
    /** How long a write may take to show in reads. */
    lagMs: 5_000,
    /** The pauses between two polls within the lag. */
    pauses: { firstMs: 500, growth: 3 },
    /** The pauses between two polls for the object of a lost create, over the whole in-flight timeout. */
    rarePauses: { firstMs: 200, growth: 10 },
  },
  /** The age of a read before a write. */
  reading: {
    /** How old the row of a scope may be when something of it is overwritten or deleted. */
    freshMs: 5_000,
    /**
     * How long a written scope may wait to be read back together with others: what a person changes meanwhile counts as
     * another form of the value.
     */
    gatherMs: 5_000,
    /** An object that one read did not show is read again after this time: a replica of the platform may lag. */
    secondLookMs: 5_000,
    /** The largest difference of two clocks: a clock that is not set by hand is off by less. */
    clocksApartMs: 600_000,
    /** A clock that differs from the platform's by more than this is wrong: answers are younger than this. */
    clockOffMs: 60_000,
    /** How long before its request goes out the time of a pending operation may have been noted. */
    noteAgeMs: 1_000,
  },
} as const;

/** The reaction to a request of unknown outcome. */
export interface Policy {
  /** The proof on the platform that it was executed. */
  readonly lookFor: 'its object' | 'its effect' | 'its mark' | 'its end';
  /** When it is sent again: at once where two executions have the same effect as one. */
  readonly again: 'at once' | 'after the in-flight timeout' | 'never';
  /** How often it is sent at most, not counting requests that were surely not executed. */
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
  run: { lookFor: 'its end', again: 'never', most: 1, pauseMs: 0, pauseGrowth: 1 },
} as const satisfies Record<string, Policy>;
