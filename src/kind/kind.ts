import type { Operation } from '../api/contract.ts';
import { keptIn, onceFor } from '../api/once.ts';
import type { Checks } from './checks.ts';
import type { KindCommand } from './kind-command.ts';
import type { Row } from '../formats/json.ts';
import type { Field, Union } from './field.ts';
import type { Identity } from './identity.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Operations } from './kind-operations.ts';
import type { ParentLink } from './parent.ts';
import type { Service, WebAddress } from './service.ts';
import type { ReadShort } from './short-form.ts';

/**
 * The declaration of one kind of resource: all that the engine knows about it, by concern. Each concern has a file of
 * its own in this folder, which explains its words.
 *
 * ```ts
 * import { defineKind } from 'trueup/kinds';
 * import * as z from 'zod';
 *
 * export const cache = defineKind({
 *   kind: 'cache',
 *   section: 'caches', // in YAML: environments.<name>.caches.<key>
 *   summary: 'A Redis server that runs as a service of an environment.',
 *   identity: {
 *     id: 'redisId', // the member of a row that holds the id
 *     key: ['name'], // finds the object where the state does not know its id
 *     keyField: 'name', // a block that has no `name` is called like its YAML key
 *   },
 *   parents: {
 *     environment: {
 *       listed: { at: 'redis' }, // the row of an environment lists its objects in `redis`,
 *       rows: 'summary', // each with a few members only: the engine reads each object by itself
 *       set: { environmentId: { parent: 'id' } }, // create sends this member
 *       idAt: 'environmentId', // a row says here what it stands below: nothing else is ever touched
 *     },
 *   },
 *   fields: {
 *     name: { schema: () => z.string().min(1).describe('Name.'), examples: ['sessions', 'pages'] },
 *     dockerImage: {
 *       schema: () => z.string().min(1).describe('Image and tag.'),
 *       appliesAt: 'deploy', // a change is saved first, and then the service is deployed
 *       examples: ['redis:7', 'redis:8'],
 *     },
 *     databasePassword: {
 *       schema: () => z.string().min(1).describe('Password.'),
 *       secrecy: 'secret', // no plan, log or state shows it
 *       appliesAt: 'deploy',
 *       examples: ['correct-horse-1', 'battery-staple-2'],
 *     },
 *     serverId: {
 *       schema: () => z.string().min(1).describe('Server to run on.'),
 *       onChange: 'replace', // no operation changes it: a new object replaces the old one
 *       examples: ['srv_1', 'srv_2'],
 *     },
 *   },
 *   operations: { create: 'redis.create', read: 'redis.one', update: 'redis.update', delete: 'redis.remove' },
 *   lifecycle: { dataAtRisk: () => ({ of: 'data', what: 'the data of this cache' }) }, // deletion wants --allow-data-loss
 *   commands: {
 *     stop: { call: 'redis.stop' }, // trueup run stop <address>
 *     deploy: { call: 'redis.deploy', answers: 'late' }, // apply uses this one too
 *   },
 *   service: { status: 'applicationStatus', setStatus: 'redis.changeStatus' },
 *   checks: { hints: { backups: 'the platform has no backups of a cache; remove the line' } },
 *   examples: ['sessions: { dockerImage: redis:8, databasePassword: "${secret:CACHE_PASSWORD}" }\n'],
 * });
 * ```
 */
export interface Kind {
  readonly kind: string;
  /** The YAML section of its blocks. */
  readonly section: string;
  /** Words of other tools for the section, in lower case: who writes one gets the section suggested. */
  readonly alsoCalled?: readonly string[];
  /** One sentence for the docs. */
  readonly summary: string;
  /** Which object of the platform a block means. */
  readonly identity: Identity;
  /** The kind of what the top of a manifest stands for; the section is its one block. */
  readonly isTop?: true;
  /** A parent has one object of the kind, or none: the section is its one block, without a key. */
  readonly isSingle?: true;
  /**
   * Its rows, from an answer that is no list of them. `list`: the parent whose list was asked for, and no id at the top;
   * undefined: the rows of all parents, to find one by its id.
   */
  readonly rowsFrom?: (answer: unknown, list?: { readonly parentId: string | undefined }) => unknown;
  /** The kind that its objects are below, where the manifest declares that as a block: `withTop` puts it there. */
  readonly top?: Kind;
  /** Reads what people write where a block belongs, in the form of another tool: for the remedy. */
  readonly short?: ReadShort;
  /** Where a block can stand, by the kind above it; `root` is the top of the manifest. */
  readonly parents: Readonly<Record<string, ParentLink>>;
  /** What a block can say, by the name that the API has for it. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Choices between groups of these fields. */
  readonly unions?: readonly Union[];
  /** Members of the row that other blocks can refer to, by the name of the output. */
  readonly outputs?: Readonly<Record<string, { readonly from: string; readonly describe: string }>>;
  /** The requests of a plan. */
  readonly operations: Operations;
  /**
   * The kind where the platform lacks an operation, beyond what `kindsOn` takes out by itself. Each operation that a
   * function of the kind may answer with, such as `onChange.through`, needs an entry.
   */
  readonly without?: Readonly<Partial<Record<Operation, (kind: Kind) => Kind>>>;
  /** What the platform itself creates, deletes and keeps. */
  readonly lifecycle?: Lifecycle;
  /** What `trueup run` can do to an object, by the name of the command; of several alternatives, the first that matches. */
  readonly commands?: Readonly<Record<string, KindCommand | readonly KindCommand[]>>;
  /** Where an object that runs shows its status, deployments and log. */
  readonly service?: Service;
  /**
   * Where its row says that an object is reached in the web: `probe:` in its block asks there, at the `port` that it says.
   * undefined: nowhere.
   */
  readonly reachedAt?: (row: Row, port: number | undefined) => WebAddress | undefined;
  /** `left out`: a preview has no block of it; what it does is for data that last. */
  readonly inPreviews?: 'left out';
  /** Why an export leaves an object out: its block would say nothing. undefined: it does not. */
  readonly notExported?: (row: Row) => string | undefined;
  /** Mistakes that need no request to find. */
  readonly checks?: Checks;
  /** Blocks as users write them below the section: for the docs and the tests. */
  readonly examples: readonly string[];
}

/** Declares a kind; it only gives the compiler the type. Never throws. */
export function defineKind(kind: Kind): Kind {
  return kind;
}

/** The parent of kinds that stand at the top of the manifest: the project itself. */
export const root = 'root';

/** The kinds whose objects the row of a parent lists, with the member that holds them. */
export function kindsIn(kinds: readonly Kind[], parent: Kind): readonly { readonly kind: Kind; readonly at: string }[] {
  return keptIn(inRows(kinds), parent, () =>
    kinds.flatMap((kind) => {
      const listed = kind.parents[parent.kind]?.listed;
      return listed !== undefined && 'at' in listed ? [{ kind, at: listed.at }] : [];
    }),
  );
}

const inRows = onceFor((_kinds: readonly Kind[]) => new Map<Kind, ReturnType<typeof kindsIn>>());

/** The names of the kinds that services stand below. Never throws. */
export function holdersOfServices(kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(kinds.flatMap(({ service, parents }) => (service === undefined ? [] : Object.keys(parents))));
}
