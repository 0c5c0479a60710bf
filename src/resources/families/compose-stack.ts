import type { ComposeModel, ComposeService } from '../../compose/model.ts';
import { itemsOf } from '../../compose/service-parts.ts';
import { type Misfit, misfitsIn } from '../../compose/stack-shape.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { Json } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { groupBy } from '../../kind/group.ts';
import { composeYamlOf, inFile } from './compose-model.ts';

/** What a stack of the swarm refuses in its compose file, and what it ignores. */
export function worksInStack(self: CheckedResource, { services }: ComposeModel): readonly Problem[] {
  const read = composeYamlOf(self);
  if (self.values.composeType !== 'stack' || read === undefined || 'unreadable' in read) return [];
  const content = read.content as Json; // YAML without tags holds nothing else
  return [
    ...refusedVersion(self, content),
    ...refusedMembers(self, misfitsIn(content)),
    ...[...services.values()].flatMap((service) => ignoredBy(self, service)),
  ];
}

function refusedVersion(self: CheckedResource, content: Json): readonly Problem[] {
  const { version } = content as { readonly version?: Json };
  if (typeof version !== 'string' || /^(?:3(?:\.\d+)?)?$/.test(version)) return [];
  const message = `a stack takes no compose file of version ${version}`;
  const remedy = 'Remove version:, which means the newest one.';
  return [inFile(self, { code: 'refused-setting', fails: true, path: ['version'], message, remedy })];
}

/** What to write in place of members that a stack does not have. */
const instead: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:cpus|mem_limit|mem_reservation|pids_limit|cpu_.*|memswap_limit)$/,
    'Write deploy: { resources: { limits: … } }.',
  ],
  [/^scale$/, 'Write deploy: { replicas: … }.'],
  [/^profiles$/, 'Remove it: a stack starts all of its services.'],
  [/^extends$/, 'Write what it brings into the service itself.'],
  [/^content$/, 'Write file: ../files/NAME, and the content under files: { NAME: { content: … } }.'],
  [/^host_ip$/, 'Remove it: a stack publishes on all addresses.'],
];

function refusedMembers(self: CheckedResource, misfits: readonly Misfit[]): readonly Problem[] {
  const refuse = (path: readonly string[], message: string, remedy: string) =>
    inFile(self, { code: 'refused-setting', fails: true, path: withIndexes(path), message, remedy });
  const unknown = groupBy(
    misfits.filter(({ is }) => is === undefined).map(({ at }) => [at.slice(0, -1).join('.'), at] as const),
  );
  return [
    ...[...unknown].map(([above, all]) => {
      const keys = all.map((at) => at.at(-1) ?? '');
      const [first = []] = all;
      const others = keys.length === 1 ? 'Remove it.' : 'Remove them.';
      const remedy = instead.find(([pattern]) => keys.every((key) => pattern.test(key)))?.[1] ?? others;
      const where = above === '' ? '' : ` in ${above}`;
      return refuse(first, `a stack refuses ${someOf(keys)}${where}`, remedy);
    }),
    ...misfits.flatMap(({ at, value, is }) => {
      if (is === undefined) return [];
      const where = at.join('.');
      if (is[0] === 'once')
        return [refuse(at, `a stack refuses ${where}: it stands there twice`, 'Remove one of the two.')];
      return [refuse(at, `a stack refuses ${where}: it must be ${wordsOf(is)}`, formOf(at.at(-1) ?? '', value, is))];
    }),
  ];
}

const words: Readonly<Record<string, string>> = {
  text: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  list: 'a list',
  map: 'a map',
  null: 'empty',
};

function wordsOf(is: readonly string[]): string {
  return is.map((word) => words[word] ?? word).join(' or ');
}

function formOf(key: string, value: Json, is: readonly string[]): string {
  if (value === null) return `Remove ${key}:, or write what it has.`;
  if (typeof value !== 'object' && typeof value !== 'string' && is.includes('text'))
    return `Write it in quotes: "${String(value)}".`;
  if (typeof value === 'string' && is.some((word) => word !== 'list' && word !== 'map'))
    return 'Write it without quotes.';
  if (key === 'depends_on') return 'Write the names in a list, or remove it: a stack starts all services at once.';
  return `Write ${wordsOf(is)}.`;
}

/** A path whose numbers are indexes: no key of a compose file is one where a list may stand. */
function withIndexes(path: readonly string[]): (string | number)[] {
  return path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Members that a stack reads over. Source: docker/cli, types.go, UnsupportedProperties; nothing reads depends_on. */
const ignored =
  `build cgroup_parent cgroupns_mode container_name depends_on devices domainname external_links ipc links mac_address
  network_mode pid privileged restart security_opt shm_size userns_mode`.split(/\s+/);

function ignoredBy(self: CheckedResource, { name, definition, image }: ComposeService): readonly Problem[] {
  const path = ['services', name];
  if (image === undefined) {
    const message = `${name} has no image, and this is a stack`;
    const remedy = 'Name an image: a stack builds none.';
    return [inFile(self, { code: 'refused-setting', fails: true, path, message, remedy })];
  }
  const found: Problem[] = [];
  const add = (at: readonly (string | number)[], message: string, remedy: string) =>
    found.push(inFile(self, { code: 'ignored-setting', path: [...path, ...at], message, remedy }));
  const keys = ignored.filter((key) => definition[key] !== undefined);
  if (keys.length > 0) {
    const remedy = keys.includes('restart')
      ? 'Write deploy: { restart_policy: … } in place of restart:, and remove the others.'
      : 'Remove what it ignores.';
    add([keys[0] ?? ''], `a stack ignores ${keys.join(', ')} of ${name}`, remedy);
  }
  const bound = itemsOf(definition.ports).findIndex((port) => /^(?:\[[^\]]+\]|[\d.]+):[^:]*:/.test(String(port)));
  if (bound !== -1) {
    const message = `a stack ignores the address in ${String(itemsOf(definition.ports)[bound])}: ${name} is published on all addresses`;
    add(
      ['ports', bound],
      message,
      'Remove the port where it must not be public: services of one stack reach each other without it.',
    );
  }
  return found;
}
