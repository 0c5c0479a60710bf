import type * as z from 'zod';
import type { Operation } from '../api/contract.ts';
import type { Codec, MapCodec } from './codecs.ts';
import type { Json, Row } from './json.ts';

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
  /** What `null` means; by default null itself, where the contract takes it. */
  readonly onNull?: { readonly value: Json } | { readonly refuse: string };
  /** A new object is useless without it, although the contract does not ask for it. */
  readonly needed?: true;
  /** What create sends when the user left the field out. */
  readonly atCreate?: Json;
  /** The value the platform gives when it is left out; the natural key uses it. */
  readonly platformDefault?: Json;
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

/** A member that the place of the resource decides: its parent's id, who acts where, another field, or a constant. */
export type FromPlace =
  | { readonly parent: 'id' }
  | { readonly context: 'projectId' | 'organizationId' | 'userId' }
  | { readonly sameAs: string }
  /** `always`: sent with every update, because the platform guesses it wrong. */
  | { readonly value: Json; readonly always?: true };

/** How the objects of a kind hang on one kind of parent. */
export interface ParentLink {
  /** Where they are listed: a member of the parent's row, or an operation; `whenEmpty` says why its list never is. */
  readonly listed:
    | { readonly at: string }
    | {
        readonly call: Operation;
        readonly with?: Readonly<Record<string, FromPlace>>;
        readonly whenEmpty?: string;
      };
  /** What a listed row holds: everything, a few members, or everything but some. */
  readonly rows: 'whole' | 'summary' | { readonly without: readonly string[] };
  /** Members that create sends because of this parent; users cannot write them here. */
  readonly set: Readonly<Record<string, FromPlace>>;
  /** Where a row holds the parent's id: a member, or a path; at the top, that of the project or the organization. */
  readonly idAt: string;
  /** Fields that mean nothing below this parent. */
  readonly lacks?: readonly string[];
  /** Nothing of it waits for a deployment below this parent. */
  readonly atOnce?: true;
}

/** A setting of a resource that is Trueup's own or goes with one call; it is no field of the platform's object. */
export interface Option {
  readonly schema: z.ZodType;
  /** The call it goes with, under its own name; its value when the user left it out. */
  readonly sentWith?: { readonly call: Operation; readonly otherwise: Json };
}

/** One way of telling an object to do something, such as to start; or why it cannot be told that. */
export type Verb = {
  /** Members of the row with their values, for which this is the way; without it, for all that is left. */
  readonly when?: Readonly<Record<string, Json>>;
} & (
  | {
      readonly call: Operation;
      /** Members that the operation takes beside the id, by where the row holds them. */
      readonly with?: Readonly<Record<string, string>>;
      /** What does not work meanwhile, as a clause: reason to ask first. */
      readonly interrupts?: string;
      /** What it deletes, as a short noun phrase. */
      readonly dataAtRisk?: string;
      /** `late`: the answer comes when the work is over, which may take minutes. `early`: before it begins. */
      readonly answers?: 'late' | 'early';
      /** It finds something out and changes nothing. */
      readonly isTest?: true;
      /** Members of an answer that is a 200 in any case: whether it went well, why not, and what else is told. */
      readonly verdict?: { readonly good: string; readonly why: string; readonly tells: readonly string[] };
      /** The member of the row that is another one afterwards; it is a secret. */
      readonly renews?: string;
    }
  | { readonly cannot: string; readonly remedy: string }
);

/** What a check of a kind sees of a resource: values that are not known yet are left out. */
export interface CheckedResource {
  readonly address: string;
  readonly kind: string;
  readonly key: string;
  readonly parent: string | undefined;
  /** Known values by field. */
  readonly values: Readonly<Record<string, Json>>;
}

/** A problem that a kind's own check found; `field` is where it stands. */
export interface Problem {
  readonly code: 'inconsistent' | 'overlap' | 'wrong-type';
  readonly address: string;
  readonly field?: string;
  readonly message: string;
  readonly remedy?: string;
}

/** The declaration of one kind of resource: everything the engine knows about it. */
export interface Kind {
  readonly kind: string;
  /** The YAML section its resources stand in. */
  readonly section: string;
  readonly summary: string;
  /** Its address is its key alone, without the section: for the kind that all others stand below. */
  readonly addressedByKey?: true;
  /** The member of a row that holds the id. */
  readonly id: string;
  /** The member that takes the id, in operations that do not call it by the row's name. */
  readonly idAs?: string;
  /** Fields that together tell which object of a parent it is; never unique on the platform. */
  readonly key: readonly string[] | ((value: (field: string) => Json | undefined) => readonly string[]);
  /** The field whose default is the YAML key; without it, the YAML key is a label only. */
  readonly keyField?: string;
  readonly parents: Readonly<Record<string, ParentLink>>;
  readonly fields: Readonly<Record<string, Field>>;
  readonly unions?: readonly Union[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Members of the row that other resources may refer to, by the name of the output. */
  readonly outputs?: Readonly<Record<string, { readonly from: string; readonly describe: string }>>;
  readonly calls: {
    readonly create?: Operation;
    /** Reads the whole row by id. */
    readonly read: Operation;
    /** Each field goes with the first of these that takes it. */
    readonly update?: Operation | readonly Operation[];
    readonly delete?: Operation;
    /** Gives the object another parent; `as` is the member that takes the new parent's id. */
    readonly move?: { readonly call: Operation; readonly as: string };
  };
  /** What there is no operation for: why, and what to do instead. */
  readonly cannot?: { readonly create?: string; readonly delete?: string };
  /** Create answers without an id: what is new in the list afterwards is the object. */
  readonly idFrom?: 'list';
  /** What has to happen outside before the platform lists a new object; until then it is never created again. */
  readonly listedOnce?: string;
  /** Replacement makes the new one first, unless `unless` is declared, of which there can be no two. */
  readonly createsFirst?: { readonly unless?: string };
  /** Whether the deletion of its parent leaves nothing of it behind. */
  readonly goesWithParent?: true;
  /** What an object can be told by hand, by the word for it; of several ways, the first that fits its row. */
  readonly verbs?: Readonly<Record<string, Verb | readonly Verb[]>>;
  /**
   * The members of its row that say how it runs, and list its deployments where the platform keeps some; where it
   * keeps none, the operation that sets the status, so that what it becomes is the outcome of what follows.
   */
  readonly status?: { readonly at: string; readonly deployments?: string; readonly setBy?: Operation };
  /** Reads what it has written to its log. */
  readonly logs?: Operation;
  /** Objects that the platform makes by itself: what may be done to them. */
  readonly provided?: {
    readonly is: (row: Row, parent: Row) => boolean;
    /** `update`: adopted, but never created or deleted, and some fields stay. `nothing`: never touched. */
    readonly allows: 'update' | 'nothing';
    readonly fixed?: readonly string[];
    /** What the platform itself wrote into it: to overwrite that takes nothing from anybody. */
    readonly madeWith?: Readonly<Record<string, Json>>;
  };
  /** What a deletion or replacement would put at risk, as a short noun phrase; undefined when nothing is. */
  readonly keepsData?: (facts: {
    readonly row: Row;
    readonly options: Readonly<Record<string, Json>>;
    readonly action: 'delete' | 'replace';
  }) => string | undefined;
  /** Finds contradictions between a resource and those below it, before any request. */
  readonly check?: (resource: CheckedResource, children: readonly CheckedResource[]) => readonly Problem[];
  /** Finds contradictions between all resources of the kind. */
  readonly checkAll?: (all: readonly CheckedResource[]) => readonly Problem[];
  /** Keys that users try here and that cannot work, with what to write instead. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Resources as users write them: below the section, for the docs and the tests. */
  readonly examples: readonly string[];
}

/** Declares a kind; it only gives the compiler the type. */
export function defineKind(kind: Kind): Kind {
  return kind;
}

/** The parent of kinds that stand at the top of the manifest: the project itself. */
export const root = 'root';
