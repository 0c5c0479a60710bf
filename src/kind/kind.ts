import type { Checks } from './checks.ts';
import type { KindCommand } from './command.ts';
import type { Field, Union } from './field.ts';
import type { Identity, ParentLink } from './identity.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Operations } from './operations.ts';
import type { Service } from './service.ts';

/** The declaration of one kind of resource: everything the engine knows about it, by concern. */
export interface Kind {
  readonly kind: string;
  /** The YAML section its resources stand in. */
  readonly section: string;
  readonly summary: string;
  /** Which object of the platform a resource is: `identity.ts`. */
  readonly identity: Identity;
  /** What it stands below, by the name of that kind: `identity.ts`. */
  readonly parents: Readonly<Record<string, ParentLink>>;
  /** What users write, by the API's name for it: `field.ts`. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly unions?: readonly Union[];
  /** Members of the row that other resources may refer to, by the name of the output. */
  readonly outputs?: Readonly<Record<string, { readonly from: string; readonly describe: string }>>;
  /** The requests that a plan may make: `operations.ts`. */
  readonly operations: Operations;
  /** How objects come and go: `lifecycle.ts`. */
  readonly lifecycle?: Lifecycle;
  /** What `trueup run` can do to an object, by the word for it; of several alternatives, the first that matches. */
  readonly commands?: Readonly<Record<string, KindCommand | readonly KindCommand[]>>;
  /** How a service says how it runs: `service.ts`. */
  readonly service?: Service;
  /** Mistakes that can be found before any request: `checks.ts`. */
  readonly checks?: Checks;
  /** Resources as users write them: below the section, for the docs and the tests. */
  readonly examples: readonly string[];
}

/** Declares a kind; it only gives the compiler the type. */
export function defineKind(kind: Kind): Kind {
  return kind;
}

/** The parent of kinds that stand at the top of the manifest: the project itself. */
export const root = 'root';
