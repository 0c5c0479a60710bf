import type { ComposeModel, ComposeService } from '../../compose/model.ts';
import { itemsOf } from '../../compose/service-parts.ts';
import { misfitsIn } from '../../compose/shape.ts';
import { ofStack } from '../../compose/stack-shape.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { Json } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { groupBy } from '../../kind/group.ts';
import { composeYamlOf, inFile } from './compose-model.ts';
import { refusedMembers } from './compose-misfits.ts';

/** What a stack of the swarm refuses in its compose file, and what it ignores. */
export function worksInStack(self: CheckedResource, { services }: ComposeModel): readonly Problem[] {
  const read = composeYamlOf(self);
  if (self.values.composeType !== 'stack' || read === undefined || 'unreadable' in read) return [];
  const content = read.content as Json; // YAML without tags holds nothing else
  const all = [...services.values()];
  return [
    ...refusedVersion(self, content),
    ...refusedMembers(self, misfitsIn(content, ofStack), 'a stack'),
    ...imageless(self, all),
    ...ignoredMembers(self, all),
    ...ignoredAddresses(self, all),
  ];
}

function refusedVersion(self: CheckedResource, content: Json): readonly Problem[] {
  const { version } = content as { readonly version?: Json };
  if (typeof version !== 'string' || /^(?:3(?:\.\d+)?)?$/.test(version)) return [];
  const message = `a stack takes no compose file of version ${self.shown(version)}`;
  const remedy = 'Remove version:, which means the newest one.';
  return [inFile(self, { code: 'refused-setting', fails: true, path: ['version'], message, remedy })];
}

/** Members that a stack reads over. Source: docker/cli, types.go, UnsupportedProperties; nothing reads depends_on. */
const ignored =
  `build cgroup_parent cgroupns_mode container_name depends_on devices domainname external_links ipc links mac_address
  network_mode pid privileged restart security_opt shm_size userns_mode`.split(/\s+/);

/** Whether a stack reads over a member that would do something: Swarm starts tasks anew in any case. */
function isIgnored(key: string, value: Json | undefined): boolean {
  return value !== undefined && !(key === 'restart' && /^(?:always|unless-stopped)$/.test(String(value)));
}

function ignoredMembers(self: CheckedResource, services: readonly ComposeService[]): readonly Problem[] {
  const found = services.flatMap(({ name, image, definition }) => {
    const keys = image === undefined ? [] : ignored.filter((key) => isIgnored(key, definition[key]));
    return keys.length === 0 ? [] : [[keys.join(', '), { name, keys }] as const];
  });
  return [...groupBy(found)].flatMap(([keys, all]): Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    const remedy = first.keys.includes('restart')
      ? 'Write deploy: { restart_policy: … } in place of restart:, and remove the others.'
      : 'Remove what it ignores.';
    const message = `a stack ignores ${keys} of ${someOf(all.map(({ name }) => name))}`;
    const path = ['services', first.name, first.keys[0] ?? ''];
    return [inFile(self, { code: 'ignored-setting', path, message, remedy })];
  });
}

function imageless(self: CheckedResource, services: readonly ComposeService[]): readonly Problem[] {
  const all = services.flatMap(({ name, image }) => (image === undefined ? [name] : []));
  const [first] = all;
  if (first === undefined) return [];
  const message = `${someOf(all)} ${all.length === 1 ? 'has' : 'have'} no image, and this is a stack`;
  const remedy = 'Name an image: a stack builds none.';
  return [inFile(self, { code: 'refused-setting', fails: true, path: ['services', first], message, remedy })];
}

function ignoredAddresses(self: CheckedResource, services: readonly ComposeService[]): readonly Problem[] {
  return services.flatMap(({ name, definition }): Problem[] => {
    const ports = itemsOf(definition.ports);
    const bound = ports.findIndex((port) => /^(?:\[[^\]]+\]|[\d.]+):[^:]*:/.test(String(port)));
    if (bound === -1) return [];
    const message = `a stack ignores the address in ${self.shown(String(ports[bound]))}: ${name} is published on all addresses`;
    const remedy = 'Remove the port where it must not be public: services of one stack reach each other without it.';
    return [inFile(self, { code: 'ignored-setting', path: ['services', name, 'ports', bound], message, remedy })];
  });
}
