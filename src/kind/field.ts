import type * as z from 'zod';
import type { Operation } from '../api/contract.ts';
import type { Codec, MapCodec } from './codecs.ts';
import type { Json, Row } from './json.ts';

/** One declared field of a kind, named as the API names it. */
export interface Field {
  /** What the user may write, with `describe` saying what it means. */
  readonly schema: z.ZodType;
  /** Two different values that the schema takes; the tests and the docs use them. */
  readonly examples: readonly [Json, Json];
  /** When two values mean the same; plain equality by default. */
  readonly codec?: Codec;
  /** The user may write a map, and each key of it is managed by itself. */
  readonly map?: MapCodec;
  /** `secret`: never shown. `private`: may hold secrets, so state keeps a digest and the platform's value is not shown. */
  readonly secrecy?: 'secret' | 'private';
  readonly onChange?: OnChange;
  /** The update operation stores a new value, but what runs keeps the old one: written back on drift only. */
  readonly rowOnly?: true;
  /** `deploy`: takes effect when the service is deployed next. */
  readonly appliesAt?: 'deploy';
  /** What `null` means; by default null itself, where the contract takes it. In the natural key, left out means the same. */
  readonly onNull?: { readonly value: Json } | { readonly refuse: string };
  /** A new object is useless without it, although the contract does not ask for it. */
  readonly needed?: true;
  /** What create sends when the user left the field out. */
  readonly atCreate?: Json;
  /** The field of the parent whose declared value is the default. */
  readonly fromParent?: string;
  /** Where the row holds it, where that differs: a member, or a path such as `gitProvider.name`. */
  readonly readAt?: string;
  /** It holds the id of an object of this kind; users write the name. */
  readonly refersTo?: string;
  /** Goes with every update when it has a value: the platform does not keep what is left out. */
  readonly inEveryUpdate?: true;
  /** A set of ids that the platform itself adds to: what was added there stays, unless the block says otherwise. */
  readonly growsByItself?: true;
}

/** How a changed field reaches the platform when it already has the object. */
type OnChange =
  /** The update operation carries it. */
  | 'write'
  /** Only a new object can have another value. */
  | 'replace'
  /** The platform cannot change it; the sentence says why and what to do instead. */
  | { readonly refuse: string }
  /** An operation of its own carries it, when the object as read allows; otherwise the update operation does. */
  | { readonly through: (row: Row) => { readonly call: Operation; readonly as: string } | { readonly note: string } };

/** A choice between groups of fields, such as the source of a compose. */
export interface Union {
  /** The field that names the case. */
  readonly tag: string;
  /** The YAML key of the group; without it, the fields stand beside the others. */
  readonly at?: string;
  readonly describe: string;
  /** Per case: the name in YAML and the field it stands for. */
  readonly cases: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Per case: the operation that chooses it and carries its fields; without it, the update operation does. */
  readonly calls?: Readonly<Record<string, Operation>>;
  /** The case that is there; all others are fetched by a deployment, and not by one that rebuilds what is there. */
  readonly local?: string;
  /** Cases that the platform has and that cannot be declared, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
}
