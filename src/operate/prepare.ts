import type { Client } from '../api/client.ts';
import { didYouMean } from '../diagnostics/closest.ts';
import { withArticle } from '../diagnostics/article.ts';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { isWithin } from '../kind/address.ts';
import type { Kind } from '../kind/kind.ts';
import { alternativesOf } from '../kind/command-call.ts';
import { projectLists } from '../observe/ownership.ts';
import { createReader } from '../observe/reader.ts';
import { protectOf } from '../plan/action-target.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { addSecretsOfRow } from '../state/row-secrets.ts';
import type { State } from '../state/state.ts';
import type { Addressed } from './addressed.ts';
import { type ObjectCommand, makeCommand } from './object-command.ts';

/**
 * Checks that some kind has a command of this name.
 *
 * @throws {Stop} `usage`, with the names of all commands.
 */
export function checkCommand(name: string, kinds: readonly Kind[]): void {
  const known = [...new Set(kinds.flatMap((kind) => Object.keys(kind.commands ?? {})))];
  if (known.includes(name)) return;
  throw usage(`there is no command ${name}`, didYouMean(name, known, `The commands are ${known.join(', ')}.`));
}

/**
 * Checks that the kind of every object has a command of this name. Sends nothing.
 *
 * @throws {Stop} `refused`, with one diagnostic per object without the command.
 */
export function checkTargets(
  name: string,
  objects: readonly Addressed[],
  { kinds, state }: { readonly kinds: readonly Kind[]; readonly state: State | undefined },
): void {
  const fits = (kind: Kind | undefined) => kind !== undefined && alternativesOf(kind, name).length > 0;
  const kindOf = (other: string) => kinds.find(({ kind }) => kind === other);
  const problems = objects.flatMap(({ address, kind }): Diagnostic[] => {
    if (fits(kind)) return [];
    const others = Object.keys(kind.commands ?? {});
    const below = Object.entries(state?.resources ?? {}).flatMap(([other, record]) =>
      isWithin(other, address) && fits(kindOf(record.kind)) ? [other] : [],
    );
    const message = `cannot ${name} ${address}: the platform has no documented operation for it on ${withArticle(kind.kind)}`;
    const remedy = below.length > 0 ? `Name one below it: ${below.join(', ')}.` : `Its commands: ${others.join(', ')}.`;
    return [
      diagnostic('cannot-change', message, {
        address,
        remedy: below.length + others.length === 0 ? undefined : remedy,
      }),
    ];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
}

/** The commands to prepare. */
interface Preparation {
  readonly name: string;
  readonly objects: readonly Addressed[];
  readonly dataLoss: boolean;
  readonly kinds: readonly Kind[];
  /** The project that all objects have to be in; undefined where neither a manifest nor a state names one. */
  readonly project: string | undefined;
}

/**
 * Reads every object, proves that it is in the project, and makes its command. Refuses all commands when one is not
 * possible: a typing error must not execute half of the list.
 *
 * @throws {Stop} `refused`, with everything that is wrong.
 * @throws {PlatformError} when an object cannot be read.
 */
export async function prepareCommands(
  client: Client,
  addSecret: Redactor['add'],
  { name, objects, dataLoss, kinds, project }: Preparation,
): Promise<readonly ObjectCommand[]> {
  const reader = createReader(client);
  const rows = await Promise.all(objects.map(({ kind, id }) => reader.row(kind, id)));
  if (project !== undefined) {
    const found = objects
      .map((object, index) => ({ ...object, row: rows[index] }))
      .filter(({ row }) => row !== undefined);
    const foreign = await projectLists({ kinds, reader, projectId: project }).foreignAmong(found);
    if (foreign.length > 0) throw new Stop('refused', foreign);
  }
  const problems: Diagnostic[] = [];
  const commands = objects.flatMap(({ address, kind, id, record }, index): ObjectCommand[] => {
    const row = rows[index];
    if (row === undefined) {
      const remedy = 'It may be deleted there. trueup plan shows the differences.';
      problems.push(diagnostic('not-found', `the platform has no ${kind.kind} with id ${id}`, { address, remedy }));
      return [];
    }
    // A failure may quote the row: redact its secrets.
    addSecretsOfRow(addSecret, row, { kind, record });
    const target = { address, kind, id, row, protect: protectOf(record?.options ?? {}) };
    const command = makeCommand(target, name, { dataLoss });
    if ('severity' in command) problems.push(command);
    else return [command];
    return [];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
  return commands;
}
