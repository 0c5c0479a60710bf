import { didYouMean } from '../diagnostics/closest.ts';
import { withArticle } from '../diagnostics/article.ts';
import { positionText } from '../diagnostics/diagnostic.ts';
import { addressBelow, childAddress, isWithin, normalAddress } from '../kind/address.ts';
import { resolveAddress } from '../kind/aliases.ts';
import { alternativesOf, seedCommand } from '../kind/command-call.ts';
import type { OwnEnvironment } from './assemble/environment.ts';
import type { Report } from './report-at.ts';
import type { Blocks } from './resolve-references.ts';
import type { Block } from './resource.ts';
import type { Preview, Seed } from './settings.ts';
import { type Place, position } from './tree.ts';

/** A preview whose seeds have their addresses in its environment. Pure. */
export function placedSeeds(preview: Preview, own: OwnEnvironment | undefined): Preview {
  if (preview.seed === undefined || own === undefined) return preview;
  const above = childAddress(undefined, undefined, own.name);
  const seed = preview.seed.map(({ address: written, at }) => {
    const address = `${above}.${resolveAddress(written)}`;
    return { address: normalAddress(address) ?? address, at };
  });
  return { ...preview, seed };
}

/** Refuses an entry of `seed:` that names no block which can run once. */
export function checkSeeds(seeds: readonly Seed[], blocks: Blocks, report: Report): void {
  const above = childAddress(undefined, undefined, blocks.environment ?? '');
  const short = (address: string) => addressBelow(above, address) ?? address;
  const runnable = [...blocks.byAddress].flatMap(([address, { kind }]) =>
    alternativesOf(kind, seedCommand).length > 0 ? [short(address)] : [],
  );
  for (const { address, at } of seeds) {
    const written = short(address);
    const block = blocks.byAddress.get(address);
    const problem =
      block === undefined ? missing(address, blocks, { short, runnable }) : notRunnable(block, written, runnable);
    if (problem !== undefined) report('bad-reference', `seed: ${problem.message}`, at, problem.remedy);
  }
}

interface Problem {
  readonly message: string;
  readonly remedy: string;
}

/** The problem of an address without a block; undefined: the mistake is reported where it stands. */
function missing(
  address: string,
  { broken, removed = new Map<string, Place>(), isIncomplete }: Blocks,
  { short, runnable }: { readonly short: (address: string) => string; readonly runnable: readonly string[] },
): Problem | undefined {
  if (isIncomplete || [...broken].some((one) => isWithin(address, one))) return undefined;
  const taken = [...removed].find(([one]) => isWithin(address, one));
  if (taken !== undefined) {
    const message = `${positionText(position(taken[1]))} takes ${short(taken[0])} out with !reset`;
    return { message, remedy: 'Take it out of seed: too, or remove that !reset.' };
  }
  const [example] = runnable;
  const otherwise =
    example === undefined ? 'Declare a schedule first.' : `Write the address of a schedule: ${example}.`;
  const remedy = didYouMean(short(address), runnable, otherwise);
  return { message: `there is no block ${short(address)}`, remedy };
}

/** The problem of a block that cannot run; undefined: it can. */
function notRunnable({ kind: { kind } }: Block, written: string, runnable: readonly string[]): Problem | undefined {
  if (runnable.includes(written)) return undefined;
  const below = runnable.filter((one) => isWithin(one, written));
  const remedy =
    below.length > 0 ? `Write ${below.join(' or ')}.` : 'Put the command into a schedule, and write its address.';
  return { message: `${written} is ${withArticle(kind)}, and only schedules can run`, remedy };
}
