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
    /** The same, where the answer is a page of somebody else. */
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
  /** A request that the platform surely did not execute (429, or a 401 without a code) is sent again, a write too. */
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
} as const;
