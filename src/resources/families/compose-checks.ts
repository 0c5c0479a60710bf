import { type Document, type YAMLError, isAlias, isCollection, isScalar, visit } from 'yaml';
import type { CheckedResource, Checks, Problem } from '../../kind/checks.ts';
import { type Json, canonical, isObject } from '../../formats/json.ts';
import { onceInTurn } from '../../api/once.ts';
import { type ComposeYaml, readComposeYaml } from '../../formats/compose-yaml.ts';
import { type Variables, withVariables } from './compose-variables.ts';

/**
 * The text that a deployment appends to the names of the services of a compose, before it looks for the service that a
 * domain or a backup names. Measured: `randomize` does nothing without a suffix, and nothing with isolatedDeployment.
 */
export function serviceSuffix(compose: (field: string) => Json): string {
  const suffix = compose('suffix');
  const isRenamed = compose('randomize') === true && compose('isolatedDeployment') !== true;
  return isRenamed && typeof suffix === 'string' && suffix !== '' ? `-${suffix}` : '';
}

/** The compose file of a block, read once for all of its checks; undefined where its text is not known. */
export const composeYamlOf = onceInTurn(({ values: { composeFile } }: CheckedResource): ComposeYaml | undefined =>
  typeof composeFile === 'string' ? readComposeYaml(composeFile) : undefined,
);

/** A block that names a service of the compose file needs one that exists: the deployment would fail. */
export function servicesExist(self: CheckedResource, children: readonly CheckedResource[]): Problem[] {
  const { composeFile, sourceType } = self.values;
  const read = composeYamlOf(self);
  if (sourceType !== 'raw' || typeof composeFile !== 'string' || read === undefined) return [];
  const found = readComposeFile(composeFile, read);
  if ('unreadable' in found) {
    const problem = { code: 'inconsistent', address: self.address, field: 'composeFile' } as const;
    const remedy = 'Correct the compose file: its deployment would fail.';
    const { unreadable: error } = found;
    return [
      typeof error === 'string'
        ? { ...problem, message: error, remedy }
        : {
            ...problem,
            message: `the compose file ${error.code === 'RESOURCE_EXHAUSTION' ? 'cannot be read' : 'is not valid YAML'}`,
            syntax: { text: composeFile, error },
          },
    ];
  }
  const services = Object.keys(mapIn(found.content.services));
  return children.flatMap((child): Problem[] => {
    const name = child.values.serviceName;
    if (typeof name !== 'string' || services.includes(name)) return [];
    return [
      {
        code: 'inconsistent',
        address: child.address,
        field: 'serviceName',
        message: `the compose file of ${self.key} has no service ${name}`,
        remedy: services.length === 0 ? 'It has no services at all.' : `Its services are ${services.join(', ')}.`,
      },
    ];
  });
}

/** Names, ports and folders of the machine in a compose file that another preview of it would take too. */
export const sharedInCompose: NonNullable<Checks['inPreview']> = ({ composeFile, sourceType }, isOwn) => {
  const found = sourceType === 'raw' && typeof composeFile === 'string' ? readComposeFile(composeFile) : undefined;
  if (found === undefined || 'unreadable' in found) return [];
  return Object.entries(mapIn(found.content.services)).flatMap(([service, definition]) => {
    const { container_name: name, ports, volumes } = mapIn(definition);
    const items = (list: Json | undefined) => (Array.isArray(list) ? (list as readonly Json[]) : []);
    const publishes = items(ports).some((port) =>
      typeof port === 'string' ? port.includes(':') : mapIn(port).published !== undefined,
    );
    const binds = items(volumes).some((mount) => {
      const source = typeof mount === 'string' ? (mount.split(':', 1)[0] ?? '') : String(mapIn(mount).source ?? '');
      return /^[/~]/.test(source) && !isOwn(source);
    });
    const problem = (message: string, remedy: string) => ({ field: 'composeFile', message, remedy });
    return [
      ...(name === undefined
        ? []
        : [problem(`the service ${service} has container_name, and each preview would take it`, 'Remove the line.')]),
      ...(publishes
        ? [
            problem(
              `the service ${service} publishes a port that each preview would take`,
              'Reach it by a domain under domains:, which needs no published port.',
            ),
          ]
        : []),
      ...(binds
        ? [
            problem(
              `the service ${service} mounts a folder of the host that each preview would share`,
              'Use a named volume.',
            ),
          ]
        : []),
    ];
  });
};

/** The services of a compose file, each with its image as it is written: `web (nginx:1.27)`; none when it cannot be read. */
export function servicesWithImages(text: unknown): readonly string[] {
  const found = readComposeFile(String(text ?? ''));
  if ('unreadable' in found) return [];
  return Object.entries(mapIn(found.content.services)).map(([name, definition]) => {
    const { image } = mapIn(definition);
    return typeof image === 'string' ? `${name} (${image})` : name;
  });
}

/** A named volume of a compose file, where a service mounts it: `data at /var/lib/data`. */
interface MountedVolume {
  readonly text: string;
  /** Two with the same one hold the same data, whatever the file calls the volume. */
  readonly data: string;
}

/** The named volumes that the services of a compose file mount; none when the file cannot be read. */
export function mountedVolumes(text: unknown, variables: Variables = new Map()): readonly MountedVolume[] {
  const found = readComposeFile(String(text ?? ''));
  if ('unreadable' in found) return [];
  const declared = new Map(Object.entries(mapIn(found.content.volumes)));
  const mounts = Object.values(mapIn(found.content.services)).flatMap((service) => {
    const { volumes } = mapIn(service);
    return Array.isArray(volumes) ? (volumes as readonly Json[]) : [];
  });
  return mounts.flatMap((written) => {
    const mount = withVariables(written, variables);
    const [source, target] =
      typeof mount === 'string' ? mount.split(':') : [mapIn(mount).source, mapIn(mount).target].map(String);
    if (source === undefined || target === undefined || !declared.has(source)) return [];
    const path = target.replace(/(?<=[^/]|^\/)\/+$/, '');
    const definition = withVariables(declared.get(source) ?? null, variables);
    // The value of a variable may be a secret: the text has its name.
    const text = canonical(mount) === canonical(written) ? `${source} at ${path}` : textOf(written);
    return [{ text, data: canonical([volumeOnHost(source, definition), path]) }];
  });
}

/** The image of a service that keeps data outside of its container: as it is written, and with its variables filled in. */
interface ImageWithData {
  readonly service: string;
  readonly written: string;
  readonly image: string;
}

/** The images of the services of a compose file that keep data outside of their container. */
export function imagesWithData(text: unknown, variables: Variables = new Map()): readonly ImageWithData[] {
  const found = readComposeFile(String(text ?? ''));
  if ('unreadable' in found) return [];
  return Object.entries(mapIn(found.content.services)).flatMap(([service, definition]) => {
    const { volumes, image = 'an image that is built' } = mapIn(definition);
    if (!Array.isArray(volumes) || volumes.length === 0) return [];
    return [{ service, written: String(image), image: String(withVariables(image, variables)) }];
  });
}

/** A mount as it is written: `${NAME}:/data`, or `data at ${PATH}` of a map. */
function textOf(mount: Json): string {
  return isObject(mount) ? `${String(mount.source)} at ${String(mount.target)}` : String(mount);
}

/** The volume that a name of a compose file stands for on the host: its own name, or one made from the key. */
function volumeOnHost(key: string, definition: Json | undefined): Json {
  const { name, external, driver = 'local', driver_opts: options = null } = mapIn(definition);
  const given = name ?? mapIn(external).name ?? (external === true ? key : undefined);
  return [...(given === undefined ? ['key', key] : ['name', given]), driver, options];
}

function mapIn(value: Json | undefined): { readonly [key: string]: Json | undefined } {
  return isObject(value) ? value : {};
}

/** The content of a compose file, or why it cannot be read. */
function readComposeFile(
  text: string,
  found = readComposeYaml(text),
): { readonly content: ReturnType<typeof mapIn> } | { readonly unreadable: string | YAMLError } {
  if ('content' in found) return { content: isObject(found.content) ? found.content : {} };
  const { unreadable: document } = found;
  const [error] = document.errors;
  if (error !== undefined) return { unreadable: error };
  const line = lineOfOpenAlias(text, document);
  const open = `a value that begins with * is an alias, and no anchor stands before that in line ${line} of the compose file`;
  return { unreadable: line === undefined ? 'the aliases of the compose file expand to too much' : open };
}

/** The line of the first alias that has no anchor before it; undefined: each has one. */
function lineOfOpenAlias(text: string, document: Document.Parsed): number | undefined {
  const anchors = new Set<string>();
  let from: number | undefined;
  visit(document, (_key, node) => {
    if (isAlias(node) && !anchors.has(node.source)) {
      from = node.range?.[0] ?? 0;
      return visit.BREAK;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.add(node.anchor);
    return undefined;
  });
  return from === undefined ? undefined : text.slice(0, from).split('\n').length;
}
