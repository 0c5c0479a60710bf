import { listOpenPulls, readPull } from '../../forge/pulls.ts';
import type { Repository } from '../../forge/repository.ts';
import { type AtForge, refusalOf, withForge } from './forge-of-source.ts';

/**
 * Notes which pull requests into the branch of a source are open, or why the forge does not list them. A list may have gaps: one that
 * it lacks is closed when the forge says that of it by its number.
 *
 * @throws as `withForge`
 */
export async function listPulls({ records }: Pick<AtForge, 'records'>, id: string): Promise<void> {
  await withForge({ records }, id, async (forge, source) => {
    // Before the list: what is opened and noted meanwhile is not missing in it.
    const known = await records.openPulls(id);
    const listed = await listOpenPulls(forge).catch(async (error: unknown) => {
      await records.pullsListed(id, await refusalOf(forge, error));
    });
    if (listed === undefined) return;
    await records.pullsListed(id);
    const isInto = (base: string): boolean => `refs/heads/${base}` === source.ref;
    // Where the forge does not say the branch, nothing new is known.
    const isElsewhere = (base: string): boolean => base !== '' && !isInto(base);
    const open = listed.flatMap(({ head, ...pull }) =>
      head !== undefined && isInto(pull.base) ? [{ ...pull, head }] : [],
    );
    const closed: number[] = [];
    for (const number of known) {
      const pull = listed.find((one) => one.number === number);
      if (pull === undefined ? await isClosed(forge, number) : isElsewhere(pull.base)) closed.push(number);
    }
    await records.sawPulls(id, open, closed);
  });
}

/** Whether the forge says of a pull request that it is closed or merged. One that it does not give may be hidden from the token. */
async function isClosed(forge: Repository, number: number): Promise<boolean> {
  try {
    return !(await readPull(forge, number)).isOpen;
  } catch (error) {
    await refusalOf(forge, error);
    return false;
  }
}
