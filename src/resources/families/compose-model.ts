import { onceFor } from '../../api/once.ts';
import { type Lookup, notKnown } from '../../compose/interpolate.ts';
import { mapOf } from '../../compose/service-parts.ts';
import { readCompose } from '../../compose/model.ts';
import { type ComposeYaml, readComposeYaml } from '../../formats/compose-yaml.ts';
import type { Json, Row } from '../../formats/json.ts';
import { hasMark } from '../../formats/secret-mark.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { envOf } from './env-checks.ts';

/** The content of the compose file of a block, read once for all of its checks; undefined where its text is not known. */
export const composeYamlOf = onceFor(({ values: { composeFile } }: CheckedResource): ComposeYaml | undefined =>
  typeof composeFile === 'string' ? readComposeYaml(composeFile) : undefined,
);

/** The content of the compose file of a block as the platform reads it: a merge key is a key. undefined: it cannot be read. */
export function unmergedOf(self: CheckedResource): { readonly [key: string]: Json } | undefined {
  const read = composeYamlOf(self);
  return read === undefined || 'unreadable' in read ? undefined : mapOf(read.unmerged as Json);
}

/** The compose file of a block with its variables filled in. */
export const composeOf = onceFor((self: CheckedResource): ReturnType<typeof readCompose> | undefined => {
  const read = composeYamlOf(self);
  return read === undefined
    ? undefined
    : readCompose(read, variablesOfBlock(self).lookup, String(self.values.command ?? ''));
});

/** The variables that compose gets for a block. */
interface BlockVariables {
  /** The keys of env; undefined: not all of them are known. */
  readonly declared: readonly string[] | undefined;
  readonly lookup: Lookup;
}

/** The names that the platform sets itself, beside PATH and HOME of its own. */
const ofPlatform = new Set(['APP_NAME', 'COMPOSE_PROJECT_NAME', 'DOCKER_CONFIG', 'COMPOSE_PREFIX']);
const ofShell = new Set(['PATH', 'HOME']);

/** Whether compose finds a file with the variables: the platform writes it beside composePath, which a raw compose ignores. */
export function hasEnvFile({ createEnvFile, sourceType, composePath }: Row): boolean {
  const folders =
    sourceType === 'raw'
      ? String(composePath ?? '')
          .split('/')
          .slice(0, -1)
      : [];
  const isAside = folders.some((folder) => folder !== '' && folder !== '.');
  return createEnvFile !== false && !isAside;
}

/** The variables that compose gets for a block, by its env. Without its .env file a compose has none; a stack takes them from the command line. */
export const variablesOfBlock = onceFor((self: CheckedResource): BlockVariables => {
  const { values } = self;
  const isStack = values.composeType === 'stack';
  const isWritten = hasEnvFile(values) || isStack;
  const { entries, isOpen } = envOf(self);
  const lookup: Lookup = (name) => {
    if (ofShell.has(name)) return notKnown;
    if (!isStack && isWritten && ofPlatform.has(name)) return notKnown;
    if (!isWritten) return undefined;
    if (entries.has(name)) {
      const value = entries.get(name);
      const isKnown = value !== undefined && !value.includes('${{') && !hasMark(value);
      // No check computes on what looks like a secret: what it is filled into keeps its name.
      return isKnown && self.shown(value, name) === value ? value : notKnown;
    }
    return isOpen ? notKnown : undefined;
  };
  return { declared: isOpen ? undefined : [...entries.keys()], lookup };
});

/** The content of the compose file of a block without what looks like a secret; undefined: it cannot be read. */
const shownOf = onceFor((self: CheckedResource): { readonly content: Json } | undefined => {
  const read = readComposeYaml(self.shown(String(self.values.composeFile)));
  return 'unreadable' in read ? undefined : { content: read.content as Json };
});

/** A text or a number of the compose file as messages show it: without what looks like a secret, by its name or by itself. */
export function shownAt(self: CheckedResource, path: NonNullable<Problem['path']>): string {
  const value = valueAt(shownOf(self)?.content ?? null, path);
  return typeof value === 'object' ? '' : self.shown(String(value), lastKey(path));
}

/** The content of a compose file; undefined: it cannot be read. */
export function contentOf(text: unknown): ReturnType<typeof mapOf> | undefined {
  const read = readComposeYaml(String(text ?? ''));
  return 'content' in read ? mapOf(read.content as Json) : undefined;
}

/** Whether messages may show the whole of a text or a number of the compose file. */
export function mayShow(self: CheckedResource, path: NonNullable<Problem['path']>): boolean {
  const read = composeYamlOf(self);
  const content = read !== undefined && 'content' in read ? (read.content as Json) : null;
  return shownAt(self, path) === String(valueAt(content, path));
}

/** How messages name a value of the compose file that they may not show. */
export function nameOfValue(path: NonNullable<Problem['path']>): string {
  return `the value of ${lastKey(path)}`;
}

function lastKey(path: NonNullable<Problem['path']>): string {
  return path.findLast((part) => typeof part === 'string') ?? '';
}

function valueAt(content: Json, path: NonNullable<Problem['path']>): Json {
  return path.reduce<Json>(
    (value, part) =>
      typeof value === 'object' ? ((value as Readonly<Record<string, Json>> | null)?.[part] ?? null) : null,
    content,
  );
}

/** A problem of the compose file of a block. */
export function inFile({ address }: CheckedResource, problem: Omit<Problem, 'address' | 'field'>): Problem {
  return { address, field: 'composeFile', ...problem };
}

/**
 * The text that a deployment appends to the names of the services of a compose, before it looks for the service that a
 * domain or a backup names. Measured: `randomize` does nothing without a suffix, and nothing with isolatedDeployment.
 */
export function serviceSuffix(compose: (field: string) => Json): string {
  const suffix = compose('suffix');
  const isRenamed = compose('randomize') === true && compose('isolatedDeployment') !== true;
  return isRenamed && typeof suffix === 'string' && suffix !== '' ? `-${suffix}` : '';
}

/** Most names that a wrong one is compared with: each costs, and a file may have thousands of both. */
export const maxCompared = 100;
