import { ForgeError, callForgeJson } from './call-forge.ts';
import type { Repository } from './repository.ts';

/** How a list is read. */
interface Paging {
  /** Most rows in one answer. */
  readonly perPage: number;
  readonly maxPages: number;
  /** What no two rows have in common. @throws {ForgeError} for a row that is none */
  readonly keyOf: (row: unknown) => string | number;
}

/**
 * Reads all rows of a list, page by page: some servers have smaller pages, and some answer each page with all.
 *
 * @param path below the API, perhaps with a query
 * @throws {ForgeError} also for an answer that is no list, and where there are too many pages: the list would have gaps
 */
export async function readPages(
  forge: Repository,
  path: string,
  { perPage, maxPages, keyOf }: Paging,
): Promise<readonly unknown[]> {
  const found = new Map<string | number, unknown>();
  const size = `${forge.name === 'gitea' ? 'limit' : 'per_page'}=${perPage}`;
  for (let page = 1; page <= maxPages; page++) {
    const query = `${path.includes('?') ? '&' : '?'}${size}&page=${page}`;
    const rows = await callForgeJson(forge, { method: 'GET', path: path + query });
    if (!Array.isArray(rows)) throw new ForgeError(200, `the forge answered GET ${path} without a list`);
    const before = found.size;
    for (const row of rows as readonly unknown[]) found.set(keyOf(row), row);
    if (rows.length === 0 || found.size === before) return [...found.values()];
  }
  throw new ForgeError(200, `the forge has more than ${maxPages} pages of GET ${path}`);
}
