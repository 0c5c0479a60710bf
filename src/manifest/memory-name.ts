import { basename } from 'node:path';

/** The name of the file in which `trueup drift` remembers: each manifest of a folder has its own, beside it. */
export function memoryFile(manifest: string): string {
  return manifest === 'trueup.yaml' ? 'drift.yaml' : `drift.${manifest.replace(/\.ya?ml$/, '')}.yaml`;
}

/**
 * Whether a path has the name of such a file: `drift.yaml` and `drift.*.yaml`, as the files for pipelines say it. It is no
 * part of a manifest: no plan reads it, its change starts no plan in a pipeline, and no plan is named by it.
 */
export function isMemoryFile(path: string): boolean {
  return /^drift\.(?:[^]*\.)?yaml$/.test(basename(path));
}

/** Why a file with such a name is not read. */
export function noMemory(path: string): string {
  return `${path} has the name of a memory of trueup drift, which is no part of a manifest; give it another name`;
}
