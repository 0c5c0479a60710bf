import type * as z from 'zod';
import type { Operation } from '../api/contract.ts';
import { onceFor } from '../api/once.ts';
import type { Codec, MapCodec } from './codecs.ts';
import type { Json, Row } from '../formats/json.ts';
import type { FieldUnit } from '../formats/units.ts';

/** One field of a kind. Only `schema` and `examples` are needed; the other words say how the field is special. */
export interface Field {
  // What users write
  /** Another key that means the same. Plans and messages have the name of the field. */
  readonly alsoWritten?: string;
  /** The key that users write, where it is not the name of the field; plans and messages have it too. */
  readonly written?: string;
  /**
   * The values that users may write, in the words that are shown; its `describe` is the sentence for the docs. A function
   * builds it when `schemaOf` needs it: a run needs the schemas of few fields, and to build all of them takes 20 ms.
   */
  readonly schema: z.ZodType | (() => z.ZodType);
  /** The schema in its place beside a value of one of these fields. */
  readonly besides?: { readonly fields: readonly string[]; readonly schema: Field['schema'] };
  /** Two different values that the schema takes; the tests and the docs use them. */
  readonly examples: readonly [Json, Json];
  /** What each word of a choice means. */
  readonly words?: Readonly<Record<string, string>>;
  /** Users may write a map too; Trueup manages each key of it by itself. */
  readonly map?: MapCodec;
  /**
   * The unit of the number, or of numbers in the value. Users may write amounts such as `512Mi` too: the schema gives the
   * number that the platform takes. Plans show amounts.
   */
  readonly unit?: FieldUnit;
  /** The kind that the id in this field belongs to, or each id in its list; users write names. */
  readonly refersTo?: string;
  /** Where an export keeps a long text: the name of a file, or the field that holds one. */
  readonly savedAs?: string | { readonly field: string };
  /**
   * The value that `null` means; by default null itself, where the contract takes it. In the natural key, a field that
   * is left out has the same value.
   */
  readonly onNull?: { readonly value: Json } | { readonly refuse: string };
  /**
   * `secret`: never shown, and kept as a digest. `private`: may hold secrets; plans show what git shows of it, and
   * `(sensitive)` for the parts that are secret.
   */
  readonly secrecy?: 'secret' | 'private';
  /** An open field in which a `${secret:…}` may be a part: text that nothing refers to, that no object is found by. */
  readonly takesSecrets?: true;

  /** Reads a text in the form of another tool, such as `5432:5432`: for the remedy. undefined: it has none that is known. */
  readonly short?: (written: string) => Json | undefined;

  /**
   * `own`: no two previews can have the same value. `never`: a preview cannot have it. `volume`, `folder`: as `own`, because it
   * names data of the server.
   */
  readonly inPreviews?: 'own' | 'volume' | 'folder' | 'never';

  // How a create sends it
  /** Required, although the contract does not say so: a new object is useless without it. */
  readonly needed?: true;
  /** The value that create sends when a block leaves the field out. */
  readonly atCreate?: Json;
  /** The value that the platform gives a new object whose block leaves the field out; null where it is left out here. */
  readonly otherwise?: Json;
  /** The form of the values that the platform makes up for a new object whose block leaves the field out. */
  readonly madeUp?: RegExp;
  /** The field of the parent that has the default. */
  readonly fromParent?: string;

  // How the platform shows it
  /**
   * Where the row holds it, if not under the field's name: a member, or a path such as `gitProvider.name`. A name in
   * braces stands for the value of that member: `{notificationType}.channel`. Behind a list, the members of its items.
   * A field whose name is a path is sent within the first member of it.
   */
  readonly readAt?: string;
  /** The text that the platform answers in place of a value; whoever sends it back keeps the value. */
  readonly hiddenAs?: string;
  /**
   * The text that the platform has behind what users write, by the fields of the parent; '' for none. Requests carry it;
   * plans show the value without it, and the natural key does not have it.
   */
  readonly appended?: (parent: (field: string) => Json) => string;
  /** When two values mean the same; plain equality by default. */
  readonly codec?: Codec;
  /** The platform itself adds ids to this set; they stay, unless the block says `accessMode: own`. */
  readonly growsByItself?: true;

  // How a change reaches it
  readonly onChange?: OnChange;
  /** Whether an update cannot carry a value, although it answers 200: a new object replaces the old one, also on drift. */
  readonly needsNewObject?: (wanted: Json) => boolean;
  /** An update stores a new value, but what runs keeps the old one: Trueup writes it back on drift only. */
  readonly rowOnly?: true;
  /** `deploy`: a change takes effect with the next deployment of the service. */
  readonly appliesAt?: 'deploy';
  /** Clients of the service connect with it: apply changes it before whatever else has the same secret. */
  readonly isCredential?: true;
  /** Operations name the object by the value that it has; an update takes another one in this member. */
  readonly renamedAs?: string;
  /** Every update sends it if it has a value: the platform drops what an update leaves out. */
  readonly inEveryUpdate?: true;
}

/** The schema of a field: built once. */
export function schemaOf({ schema }: Pick<Field, 'schema'>): z.ZodType {
  return typeof schema === 'function' ? built(schema) : schema;
}

/** A field beside the values of others. `valueOf`: null for none, and undefined for one that is not known yet. */
export function fieldBeside(field: Field, valueOf: (field: string) => Json | undefined): Field {
  const { besides } = field;
  if (besides === undefined) return field;
  const values = besides.fields.map(valueOf);
  return values.every((value) => value === null || value === '') ? field : { ...field, schema: besides.schema };
}

/** Tells the fields in which a `${secret:…}` may stand. Elsewhere Trueup shows the value, or finds objects by it. */
export function mayHoldSecrets({ secrecy, takesSecrets }: Pick<Field, 'secrecy' | 'takesSecrets'>): boolean {
  return secrecy !== undefined || takesSecrets === true;
}

/** By the function that builds it: copies of a field have the same. */
const built = onceFor((build: () => z.ZodType) => build());

/** How a changed field reaches an object that exists. */
type OnChange =
  /** The update operation carries it; the default. */
  | 'write'
  /** A new object replaces the old one. */
  | 'replace'
  /** The platform cannot change it; the sentence says why and what to do instead. */
  | { readonly refuse: string }
  /** An operation of its own carries it and nothing else, if the row allows that; else the update operation does, with a note. */
  | {
      readonly through: (
        row: Row,
        /** The new value; undefined where the plan does not know it. */
        wanted?: Json,
      ) =>
        | {
            readonly call: Operation;
            /** The member that takes the value of the field. */
            readonly as: string;
            /** Members that say which field it is. */
            readonly with?: Readonly<Record<string, Json>>;
            /** Who keeps the old value all the same. */
            readonly note?: string | undefined;
          }
        | { readonly note: string };
    };

/** A choice between groups of fields, such as the source of a compose. */
export interface Union {
  /** The field that names the case. */
  readonly tag: string;
  /** The YAML key of the group; without it, the fields stand beside the others. */
  readonly at?: string;
  /** The sentence for the docs. */
  readonly describe: string;
  /** Per case: the fields, by the key that users write. */
  readonly cases: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fields beside the group that users may write in it as well, unless the platform holds the case itself. */
  readonly also?: readonly string[];
  /** What each case means, where the fields of the cases stand in a group. */
  readonly words?: Readonly<Record<string, string>>;
  /** Per case: the operation that chooses it and carries its fields; without it, the update operation does. */
  readonly calls?: Readonly<Record<string, Operation>>;
  /**
   * Per case: the operation that creates an object in it. Then the operations in `calls` carry every other field too, and
   * `create` and `update` of the kind are those of the first case.
   */
  readonly creates?: Readonly<Record<string, Operation>>;
  /** The case that the platform holds itself; a deployment fetches all others, unless it only rebuilds. */
  readonly local?: string;
  /** Reads a text that people write instead of the group, by field; null: it leaves the field open. For the remedy. */
  readonly short?: (written: string) => Readonly<Record<string, Json>> | undefined;
  /** Words of other tools for a case, in lower case: who writes one gets the case suggested. */
  readonly alsoCalled?: Readonly<Record<string, string>>;
  /** Cases that the platform has and that no block can declare, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
}
