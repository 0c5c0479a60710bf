import type { World } from '../../../src/emulator/world.ts';
import { partAddress } from '../../../src/kind/address.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import { canonical } from '../../../src/formats/json.ts';
import type { State } from '../../../src/state/state.ts';

/** What comes and goes with each run, and what chance decides. */
const passing = ['deployment', 'apiKey', 'container', 'task', 'log'];
const times = ['createdAt', 'updatedAt', 'initialisedAt'];
// The file as a deployment wrote it has the uniqueConfigKey of domains.
const byChance = [...times, 'appName', 'refreshToken', 'accessToken', 'uniqueConfigKey', 'accessedServices', 'written'];
const names = ['name', 'publicKey', 'certificateData', 'host', 'filePath', 'mountPath', 'prefix', 'email'];

/** Everything that is on a platform and in a state, a line for each, such that the same twice is the same text. */
export function likenessOf(world: World, state: State | undefined): string[] {
  const { rows, named } = linesOf(world, (table) => !passing.includes(table));
  return [...rows, ...recordsOf(state)].map((line) => named(line)).toSorted();
}

/** A platform and a state such that two from which everything goes on in the same way are equal. */
export function situationOf(world: World, state: State | undefined): string {
  const { rows, named } = linesOf(world, (table) => table !== 'task');
  const lines = [...rows, ...recordsOf(state)].map((line) =>
    named(line)
      .replaceAll(/trueup-[\w-]{12}/g, 'a mark')
      .replaceAll(/"at":\d+(\.\d+)?/g, '"at":0')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'a time'),
  );
  return lines.toSorted().join('\n');
}

function recordsOf(state: State | undefined): string[] {
  const { resources = {}, deployments = {} } = state ?? {};
  return [
    ...Object.entries(resources).map(([address, content]) => {
      // Whether a create had to be sent twice depends on how its run ended.
      const { duplicates: _, ...record } = content;
      return canonical([address, record] as unknown as Json);
    }),
    ...Object.entries(deployments).map(([address, deploys]) =>
      canonical([partAddress(address, 'deployment'), deploys] as unknown as Json),
    ),
  ];
}

/** Rows as text, and what puts something that says the same of two platforms in the place of ids. */
function linesOf({ tables }: World, isKept: (table: string) => boolean) {
  const all = Object.entries(tables).flatMap(([table, content]) =>
    Object.entries(content as Record<string, Row>).map(([id, row]) => ({ table, id, row })),
  );
  const labels = new Map(
    // A task has the appName of its service.
    all
      .filter(({ table }) => table !== 'task')
      .flatMap(({ table, id, row }) => {
        const label = [table, ...names.map((name) => row[name])].filter((part) => typeof part === 'string').join(' ');
        const { appName } = row;
        return typeof appName === 'string' && appName !== ''
          ? [[id, label] as const, [appName, `appName of ${label}`] as const]
          : [[id, label] as const];
      }),
  );
  const made = [...labels.keys()].filter((name) => name.length > 12); // the others are the same on all platforms
  const anyOf = new RegExp(
    made
      .toSorted((a, b) => b.length - a.length)
      .map((name) => name.replaceAll(/[^\w-]/g, String.raw`\$&`))
      .join('|') || '(?!)',
    'g',
  );
  return {
    rows: all
      .filter(({ table }) => isKept(table))
      .map(({ table, row }) =>
        JSON.stringify([
          table,
          ...Object.entries(row).filter(
            ([name, value]) =>
              value !== null &&
              !byChance.includes(name) &&
              !(name === 'certificatePath' && String(value).startsWith('certificate-')),
          ),
        ]),
      ),
    named: (line: string) => line.replaceAll(anyOf, (name) => labels.get(name) ?? name),
  };
}
