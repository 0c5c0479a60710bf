import { withArticle } from '../diagnostics/article.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isDeployable } from '../kind/written-keys.ts';
import { reportInto } from './report-at.ts';
import { type Blocks, findBlock } from './resolve-references.ts';
import type { AfterEntry, Block, Resource } from './resource.ts';
import { textOf } from './tree.ts';

/** Gives resources the services that their blocks name in `after:`, and reports entries that name none. */
export function withAfter(
  resources: readonly Resource[],
  blocks: Blocks,
  diagnostics: Diagnostic[],
): readonly Resource[] {
  return resources.map((resource) => {
    const block = blocks.byAddress.get(resource.address);
    const list = block?.entries.get('after')?.node;
    if (block === undefined || list?.is !== 'list') return resource;
    const report = reportInto(diagnostics, block.address);
    const after = new Map<string, AfterEntry>();
    for (const item of list.items) {
      const { at } = item;
      const written = textOf(item) ?? '';
      if (written === '') continue; // reported as a wrong type
      const found = serviceAt(written, block, blocks);
      if ('problem' in found) report('bad-reference', `after: ${found.problem}`, at, found.remedy);
      else after.set(found.address, { address: found.address, at });
    }
    return after.size === 0 ? resource : { ...resource, after: [...after.values()] };
  });
}

/** The service that an entry means. */
function serviceAt(
  written: string,
  block: Block,
  blocks: Blocks,
): Pick<AfterEntry, 'address'> | Exclude<ReturnType<typeof findBlock>, Block | string> {
  const found = findBlock(written, block, blocks);
  if (typeof found === 'string') return { address: found };
  if ('problem' in found) return found;
  const { address, kind, parent } = found;
  if (address === block.address)
    return { problem: `${address} cannot wait for its own deployment`, remedy: 'Remove the entry.' };
  if (isDeployable(kind)) return found;
  const above = parent === undefined ? undefined : blocks.byAddress.get(parent);
  const isBelow = above !== undefined && above !== block && isDeployable(above.kind);
  const remedy = isBelow ? `Write ${above.address}.` : 'Write the address of an application, a compose or a database.';
  return { problem: `${address} is ${withArticle(kind.kind)}, and only services are deployed`, remedy };
}
