import type { Command, Group } from '../../src/cli/command.ts';
import { commands, nameIn } from '../../src/cli/commands/index.ts';
import type { Formats, Screen, View } from '../../src/render/output-format.ts';
import type { Finished } from '../cli/process.ts';
import { trueup } from '../cli/process.ts';

/**
 * Runs a command line once, in the process of the test, and prints what it reports in all formats of its command: stdout has
 * each below a line that names it, such as `=== json ===`.
 */
export async function trueupInEveryFormat(
  args: readonly string[],
  options: Parameters<typeof trueup>[1] = {},
): Promise<Finished> {
  const { formats } = await commandOf(args);
  // No list of formats has it.
  if (formats !== undefined && !Object.hasOwn(formats, 'every'))
    Object.defineProperty(formats, 'every', { value: (screen: Screen) => viewOf(formats, screen) });
  return trueup([...args, '--format', 'every'], options);
}

/** The part of stdout in one format. */
export function inFormat(name: string, { out }: Pick<Finished, 'out'>): string {
  const [, ...parts] = out.split(/^=== (\w+) ===\n/m);
  return parts.filter((_, at) => at % 2 === 1 && parts[at - 1] === name).join('');
}

/** The command that the first words of a command line name. */
async function commandOf(args: readonly string[]): Promise<Command | Group> {
  const line = `${args.join(' ')} `;
  const named = commands.filter(([usage]) => line.startsWith(`${nameIn(usage)} `));
  const [entry] = named.toSorted(([one], [other]) => nameIn(other).length - nameIn(one).length);
  if (entry === undefined) throw new Error(`there is no command ${line}`);
  return (await entry[2]()).command;
}

/** The views of all formats as one. */
async function viewOf(formats: Formats<View>, screen: Screen): Promise<View> {
  let last = '';
  const views: View[] = [];
  for (const [name, format] of Object.entries(formats)) {
    const out = (text: string): void => {
      screen.out(name === last ? text : `=== ${name} ===\n${text}`);
      last = name;
    };
    views.push(await format({ ...screen, out }));
  }
  return joined(views);
}

/** An object that does what each of some objects does. */
function joined<T extends object>(all: readonly T[]): T {
  const get = (_: T, name: string | symbol): unknown => {
    const members = all.map((one): unknown => Reflect.get(one, name));
    const functions = members.filter((member) => typeof member === 'function');
    if (functions.length === 0) return members[0];
    return (...args: unknown[]): unknown => {
      const given = functions.map((member): unknown => Reflect.apply(member, undefined, args));
      return typeof given[0] === 'object' && given[0] !== null ? joined(given as object[]) : given[0];
    };
  };
  return new Proxy({} as T, { get });
}
