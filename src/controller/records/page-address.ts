import type { Database } from './database.ts';

/** Where browsers find the page, for links at forges and in messages: each worker writes them, also one without the settings. */
export function pageAddressIn({ row, transaction }: Database) {
  return {
    /** The address, without a slash at its end; undefined: no process knows one. */
    pageAddress: async (): Promise<string | undefined> =>
      (await row<{ readonly address: string }>('select address from @page_address'))?.address,
    /**
     * Notes the address that the settings of a process name. That of the page itself is the last word: where it changes, forges are told
     * again, with other links. That of a worker counts until a page has one.
     */
    setPageAddress: (address: string, { by }: { readonly by: 'page' | 'worker' }): Promise<void> =>
      transaction(async (query) => {
        // A row that is not there yet cannot be locked.
        await query('select pg_advisory_xact_lock(hashtext($1))', ['address of the page']);
        const [before] = await query<{ readonly address: string }>('select address from @page_address', []);
        if (before?.address === address || (before !== undefined && by === 'worker')) return;
        await query('insert into @page_address (address) values ($1) on conflict (is_one) do update set address = $1', [
          address,
        ]);
        if (before === undefined) return;
        // The sources first, and each in its order: so do all who lock several of them.
        await query('select from @source order by id for no key update', []);
        await query(
          `update @status set fact = '' where (stack, commit) in (
            select stack, commit from @status where problem is null order by stack, commit for no key update)`,
          [],
        );
        await query(
          `update @proposal set shown = null, brought = null where stack in (
            select stack from @proposal where number is not null order by stack for no key update)`,
          [],
        );
        await query('update @source set compared_at = null where compared_at is not null', []);
      }),
  };
}
