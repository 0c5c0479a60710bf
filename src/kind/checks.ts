import type { Json } from './json.ts';

/** Concern "checks": mistakes that can be found before any request. */
export interface Checks {
  /** Contradictions between a resource and those below it. */
  readonly each?: (resource: CheckedResource, children: readonly CheckedResource[]) => readonly Problem[];
  /** Contradictions between all resources of the kind. */
  readonly all?: (all: readonly CheckedResource[]) => readonly Problem[];
  /** Keys that users try here and that cannot work, with what to write instead. */
  readonly hints?: Readonly<Record<string, string>>;
}

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
