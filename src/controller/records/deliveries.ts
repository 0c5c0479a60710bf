import type { Database } from './database.ts';

/** A webhook that a forge sent. */
export interface Delivery {
  readonly source: string;
  /** The id that the forge gave it. */
  readonly id: string;
  readonly event: string;
}

/** A connection in a transaction, as the queue takes it. */
export interface Connection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export function deliveriesIn({ transaction }: Database) {
  return {
    /**
     * Notes a delivery, and does work in the same transaction. False: it was noted before, and nothing is done. Deliveries are
     * forgotten after a week; forges send none again that late.
     */
    receive: ({ source, id, event }: Delivery, work: (db: Connection) => Promise<void>): Promise<boolean> =>
      transaction(async (query, send) => {
        const [noted] = await query(
          `with old as (delete from @delivery where ctid in (select ctid from @delivery where at < now() - interval '7 days'
              limit 100 for update skip locked))
          insert into @delivery (source, id, event) values ($1, $2, $3) on conflict do nothing returning id`,
          [source, id, event],
        );
        if (noted === undefined) return false;
        await work({ query: async (text, values = []) => ({ rows: [...(await send(text, values))] }) });
        return true;
      }),
  };
}
