import { ofCompose } from '../../compose/compose-shape.ts';
import { entriesOf, itemsOf, mapOf } from '../../compose/service-parts.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { type Json, isObject } from '../../formats/json.ts';
import type { Problem } from '../../kind/checks.ts';
import { resolvedPath } from './own-folder.ts';

type Definition = ReturnType<typeof mapOf>;

/** A text is known, and has the id of the preview. */
export type IsOwn = (text: string) => boolean;

export type Finding = Pick<Problem, 'message' | 'remedy'>;

/** Ways out of a preview that the whole compose file opens. */
export function reachedByFile(content: Definition): readonly Finding[] {
  const others = keysOf(content).filter((key) => key === 'models' || !isMember(key, ofCompose.shape.members));
  return [
    ...(content.include === undefined ? [] : [inOtherFile('include', 'Write the services into this file.')]),
    ...wayOut(
      'the compose file',
      others.filter((key) => !isOff(content[key])),
    ),
    // The platform writes it without quotes, and compose merges it.
    ...(JSON.stringify(content).includes('"<<":')
      ? [{ message: 'the compose file has a merge key in quotes', remedy: 'Write << without quotes.' }]
      : []),
  ];
}

/** Ways out of a preview that a service opens: to the host, to its files, and to what others on it use. */
export function reachedByService(service: string, definition: Definition, isOwn: IsOwn): readonly Finding[] {
  const what = `the service ${service}`;
  const members = ofCompose.shape.members?.services?.values?.members;
  const keys = keysOf(definition).filter((key) => !isMember(key, members) || never.has(key));
  const { build, image } = definition;
  const ofBuild = keysOf(mapOf(build)).filter((key) => !insideBuild.has(key));
  const open = [...keys, ...ofBuild.map((key) => `build.${key}`), ...openValues(definition)];
  const isSet = (key: string) => !isOff(key.startsWith('build.') ? mapOf(build)[key.slice(6)] : definition[key]);
  const outside = Object.entries(pathsOf(definition)).flatMap(([key, isOutside]) => (isOutside ? [key] : []));
  const names = isOff(build) ? [] : [image ?? [], ...itemsOf(mapOf(build).tags)].flat().map(String);
  return [
    ...(isOff(mapOf(definition.extends).file)
      ? []
      : [inOtherFile(`extends of ${what}`, 'Write the service into this file.')]),
    ...wayOut(what, open.filter(isSet)),
    ...outside.map((key) => ({
      message: `${what} names a file or folder under ${key} that is none of its own`,
      remedy: 'Write the file under files:, and name it ../files/NAME.',
    })),
    ...(names.every(isOwn)
      ? []
      : [
          {
            message: `${what} builds an image whose name each preview would take`,
            remedy: 'Remove image: and tags:, or write a variable with ${preview:id} into them.',
          },
        ]),
  ];
}

function wayOut(what: string, keys: readonly string[]): readonly Finding[] {
  if (keys.length === 0) return [];
  const message = `${what} has ${someOf(keys, 10)}, which may reach the host or others on it`;
  const remedy = `Remove ${keys.length === 1 ? 'it' : 'them'}: a preview keeps to its own containers, networks and volumes.`;
  return [{ message, remedy }];
}

function inOtherFile(what: string, remedy: string): Finding {
  return { message: `${what} brings what stands in another file, which Trueup does not read`, remedy };
}

function keysOf(definition: Definition): readonly string[] {
  return Object.keys(definition).filter((key) => !key.startsWith('x-') && key !== '<<');
}

/** Whether Trueup knows a key: what a later compose adds may reach anything. */
function isMember(key: string, members: { readonly [key: string]: unknown } | undefined): boolean {
  return members !== undefined && Object.hasOwn(members, key);
}

/** Keys of a service that reach the host or another container, whatever their value is but false. */
const never = new Set(
  `annotations cgroup_parent credential_spec device_cgroup_rules devices external_links label_file models privileged
  provider runtime use_api_socket`.split(/\s+/),
);

/** Keys of a build that stay inside of it, or whose values are looked at. */
const insideBuild = new Set(
  `additional_contexts args cache_from context dockerfile dockerfile_inline extra_hosts isolation labels network no_cache
  no_cache_filter platforms provenance pull sbom secrets shm_size tags target ulimits`.split(/\s+/),
);

/** The keys with a value that reaches out. */
function openValues(definition: Definition): readonly string[] {
  const { cap_add: rights, security_opt: options, volumes_from: from, build, logging } = definition;
  const isOpen = (items: Json | undefined, inside: RegExp) => itemsOf(items).some((item) => !inside.test(String(item)));
  return [
    ...namespaces.filter((key) => !isOff(definition[key]) && !ownNamespace.test(String(definition[key]))),
    ...(isOpen(rights, harmless) ? ['cap_add'] : []),
    ...(isOpen(options, /^no-new-privileges(?:[:=]true)?$/) ? ['security_opt'] : []),
    ...(isOpen(from, /^(?!container:)[^$]+$/) ? ['volumes_from'] : []),
    ...hooks.filter((key) => itemsOf(definition[key]).some((hook) => !isOff(mapOf(hook).privileged))),
    ...(ownNamespace.test(String(mapOf(build).network ?? 'none')) ? [] : ['build.network']),
    // Docker itself sends what another driver is given, from the host to any address or socket.
    ...(/^(?:json-file|local|none)$/.test(String(mapOf(logging).driver ?? 'local')) ? [] : ['logging']),
  ];
}

const namespaces = ['network_mode', 'pid', 'ipc', 'uts', 'userns_mode', 'cgroup'];
const ownNamespace = /^(?:none|private|shareable|bridge|default|service:[^$]+)$/;
const hooks = ['pre_start', 'post_start', 'pre_stop'];

/** The rights that Docker gives each container, and two that only concern its own memory and processes. */
const harmless =
  /^(?:CAP_)?(?:AUDIT_WRITE|CHOWN|DAC_OVERRIDE|FOWNER|FSETID|IPC_LOCK|KILL|MKNOD|NET_BIND_SERVICE|NET_RAW|SETFCAP|SETGID|SETPCAP|SETUID|SYS_CHROOT|SYS_NICE)$/i;

/** Whether one of the paths under a key leads out of the folder of the compose. */
function pathsOf(definition: Definition): { readonly [key: string]: boolean } {
  const { files, contexts, dockerfile } = filesOf(definition);
  return {
    env_file: !files.every(isBeside),
    build: !contexts.every(isContext) || !isBeside(dockerfile),
  };
}

/** The files and folders that a service names beside what it mounts. */
export function filesOf({ env_file: files, build }: Definition) {
  const { context = '.', dockerfile = '.', additional_contexts: more } = mapOf(build);
  const listed = isOff(files) ? [] : [files].flat();
  const contexts = [typeof build === 'string' ? build : context, ...entriesOf(more).values()];
  return {
    files: listed.map((item) => String(isObject(item) ? item.path : item)),
    contexts: contexts.map(String),
    dockerfile: String(dockerfile),
  };
}

function isContext(path: string): boolean {
  if (path.includes('$')) return false;
  if (/^(?:https?|git|ssh|docker-image):\/\/|^(?:git@|github\.com\/|service:)/.test(path)) return true;
  return !path.includes('://') && isBeside(path);
}

/** Whether a path stays in the folder with the compose file, or in that of the blocks under `files:`. */
export function isBeside(path: string): boolean {
  const plain = resolvedPath(path);
  return !/[$\\]|^[/~]/.test(plain) && (!/^\.\.(?:\/|$)/.test(plain) || /^\.\.\/files(?:\/|$)/.test(plain));
}

/** Whether a value turns nothing on. */
export function isOff(value: Json | undefined): boolean {
  return value === undefined || value === null || /^(?:false|no|off|n|)$/i.test(String(value));
}
