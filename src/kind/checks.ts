import type { YAMLError } from 'yaml';
import type { Code } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ComposeYaml } from '../formats/compose-yaml.ts';
import type { Json } from '../formats/json.ts';

/** Mistakes that need no request to find. */
export interface Checks {
  /** Finds contradictions within one block and the blocks below it. */
  readonly each?: (resource: CheckedResource, children: readonly CheckedResource[]) => readonly Problem[];
  /** Why a second deployment of the same values may run something else than the first one; undefined: it does not. */
  readonly repeats?: (resource: CheckedResource) => Pick<Problem, 'field' | 'path' | 'message' | 'remedy'> | undefined;
  /** Finds contradictions between all blocks of the kind; `at` gives any block by its address. */
  readonly all?: (
    all: readonly CheckedResource[],
    at: (address: string) => CheckedResource | undefined,
  ) => readonly Problem[];
  /** The ports of its server that a block publishes, as far as they are known; `at` gives any block by its address. */
  readonly publishes?: (
    resource: CheckedResource,
    at: (address: string) => CheckedResource | undefined,
  ) => readonly PublishedPort[];
  /** The field whose text the checks read as YAML, and how they read it. */
  readonly yaml?: { readonly field: string; readonly read: (resource: CheckedResource) => ComposeYaml | undefined };
  /**
   * Finds in one block what no two previews can have; secrets and references stand in its values as they are written. `isOwn`: a
   * text has the id of the preview. `children`: the blocks below it.
   */
  readonly inPreview?: (
    resource: CheckedResource,
    isOwn: (text: string) => boolean,
    children: readonly CheckedResource[],
  ) => readonly Pick<Problem, 'field' | 'message' | 'remedy'>[];
  /** Keys that users try here and that cannot work, with the sentence that says what to write instead. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** A port of a server, which one service can have. */
export interface PublishedPort {
  /** The field that names it. */
  readonly field: string;
  readonly port: Json;
  readonly protocol: Json;
  /** null: the server of the platform. */
  readonly server: Json;
  /** The address of the service behind it. */
  readonly service: string;
  /** true: each machine of the server has its own, so that several services may ask for the same. */
  readonly isPerMachine?: boolean;
  /** The address of the host; undefined: all of them. */
  readonly hostIp?: string | undefined;
  /** Where in the value of the field. */
  readonly path?: Problem['path'];
}

/** A block as a check gets it. */
export interface CheckedResource {
  readonly address: string;
  readonly kind: string;
  readonly key: string;
  readonly parent: string | undefined;
  /** Values by field; values that are not known yet are left out. */
  readonly values: Readonly<Record<string, Json>>;
  /** The declared fields that are left out there. */
  readonly unknown?: readonly string[];
  /** The value of a field as it is written, with its expressions: of a list with one, the rest is known. undefined: not declared. */
  readonly written: (field: string) => Json | undefined;
  /** What is declared key by key, by field. */
  readonly maps: Readonly<Record<string, CheckedMap>>;
  /** A text of it as messages show it, without what looks like a secret or is private; `key`: the name that it has. */
  readonly shown: (text: string, key?: string) => string;
}

/** A map of a block. */
export interface CheckedMap {
  /** Its values; undefined: not known yet. */
  readonly entries: ReadonlyMap<string, string | undefined>;
  /** Keys that are not declared go. */
  readonly isOwn: boolean;
}

/** What the platform will do with a block that is deployed; `allow:` in the block silences each. */
export const deploymentCodes = [
  'not-compose',
  'not-in-source',
  'unset-variable',
  'unused-env',
  'env-line',
  'refused-expression',
  'rewritten-file',
  'lost-route',
  'refused-setting',
  'ignored-setting',
  'unmounted-file',
  'unkept-data',
  'lost-folder',
  'unread-file',
  'must-exist',
  'no-certificate',
  'default-port',
  'backup-fails',
  'stray-dollar',
  'not-effective',
] as const satisfies readonly Code[];

/** On what it depends whether a problem is one. What is not known, such as the version of a platform, counts as met, but for `before`. */
export interface Condition {
  /**
   * The object of the block is new: one that exists may have another value for what the block leaves out. `for certain`: without
   * a plan it does not count as new.
   */
  readonly isNew?: true | 'for certain';
  /** The plan changes this field of an object that exists, and nothing of the one at `besides`. */
  readonly changes?: string;
  readonly besides?: string;
  /** The platform is of that version or a later one; it is older. */
  readonly since?: string;
  readonly before?: string;
}

/** What the deployment of a block will do, and when. */
export interface DeploymentFinding extends Diagnostic {
  readonly when?: Condition;
}

/** A mistake, with the block and the field to correct. */
export interface Problem {
  readonly code: 'inconsistent' | 'overlap' | 'wrong-type' | 'unknown-permission' | (typeof deploymentCodes)[number];
  /** The deployment of the block fails for certain. */
  readonly fails?: true;
  readonly when?: Condition;
  readonly address: string;
  readonly field?: string;
  readonly message: string;
  readonly remedy?: string;
  /** Where in the value of the field, which is YAML: keys of maps and indexes of lists. */
  readonly path?: readonly (string | number)[];
  /** The value of the field is YAML with this error. */
  readonly syntax?: { readonly text: string; readonly error: YAMLError };
}
