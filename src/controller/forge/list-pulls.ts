import { listOpenPulls } from '../../forge/pulls.ts';
import { type AtForge, withForge } from './forge-of-source.ts';

/** Notes which pull requests into the branch of a source are open. @throws as `withForge` */
export async function listPulls({ records }: Pick<AtForge, 'records'>, id: string): Promise<void> {
  await withForge({ records }, id, async (forge, source) => {
    const open = (await listOpenPulls(forge)).flatMap(({ head, ...pull }) =>
      head === undefined || `refs/heads/${pull.base}` !== source.ref ? [] : [{ ...pull, head }],
    );
    await records.sawPulls(id, open);
  });
}
