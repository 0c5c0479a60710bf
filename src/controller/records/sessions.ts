import { type Database, plain } from './database.ts';
import { noteIn } from './events.ts';

/** A sign-in of a browser. The groups are those that the user had then. */
export interface SessionRecord {
  readonly name: string;
  readonly groups: readonly string[];
  readonly by: 'oidc' | 'proxy' | 'link';
}

/** A session as pages show it. */
export interface SessionRow extends Pick<SessionRecord, 'name' | 'by'> {
  readonly digest: string;
  readonly beganAt: Date;
  /** To a minute. */
  readonly seenAt: Date;
}

/** After so many hours, and after so many without a request, one has to sign in again. */
const lifeHours = 8;
const idleHours = 2;

const isValid = `expires_at > now() and seen_at > now() - interval '${idleHours} hours'`;

/** The sign-ins of browsers. A session is named by the SHA-256 of its id, which the browser alone has. */
export function sessionsIn({ rows, row, transaction }: Database) {
  return {
    /** Begins a session, ends the one that the browser had, and removes those that are over. */
    beginSession: (digest: string, former: string | undefined, { name, groups, by }: SessionRecord): Promise<void> =>
      transaction(async (query) => {
        await query(`delete from @session where digest = $1 or not (${isValid})`, [former ?? '']);
        await query(
          `insert into @session (digest, name, groups, by, expires_at)
          values ($1, $2, $3, $4, now() + interval '${lifeHours} hours')`,
          [digest, plain(name), groups.map(plain), by],
        );
        await noteIn(query, { who: name, what: 'signed in', subject: 'page', about: { by } });
      }),
    /** The session of a browser, unless it is over; to ask keeps it from being idle. */
    session: (digest: string) =>
      row<SessionRecord>(
        `with used as (update @session set seen_at = now()
            where digest = $1 and ${isValid} and seen_at < now() - interval '1 minute')
        select name, groups, by from @session where digest = $1 and ${isValid}`,
        [digest],
      ),
    /** The sign-ins that are not over, the last seen first, at most so many; the digest names each. */
    sessions: (most: number) =>
      rows<SessionRow>(
        `select digest, name, by, began_at as "beganAt", seen_at as "seenAt" from @session where ${isValid}
        order by seen_at desc, digest limit $1`,
        [most],
      ),
    /** Ends the session of a user. Gives their name; undefined: it was over. */
    endSessionOf: (digest: string, { who, because }: { readonly who: string; readonly because: string }) =>
      transaction(async (query) => {
        const [ended] = await query<Pick<SessionRecord, 'name'>>(
          'delete from @session where digest = $1 returning name',
          [digest],
        );
        if (ended === undefined) return undefined;
        await noteIn(query, { who, what: 'ended a session', subject: 'page', about: { of: ended.name, because } });
        return ended.name;
      }),
    /** Whether a session is not over yet; to ask keeps none from being idle. */
    sessionHolds: async (digest: string): Promise<boolean> =>
      (await row(`select digest from @session where digest = $1 and ${isValid}`, [digest])) !== undefined,
    endSession: (digest: string): Promise<void> =>
      transaction(async (query) => {
        const [ended] = await query<Pick<SessionRecord, 'name'>>(
          'delete from @session where digest = $1 returning name',
          [digest],
        );
        if (ended !== undefined) await noteIn(query, { who: ended.name, what: 'signed out', subject: 'page' });
      }),
  };
}
