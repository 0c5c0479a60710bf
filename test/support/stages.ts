import { openWorkspace } from '../../src/manifest/workspace.ts';
import { type Diagnostic, Stop } from '../../src/diagnostics/diagnostic.ts';
import { type Manifest, readManifest } from '../../src/manifest/manifest.ts';
import type { Place } from '../../src/manifest/tree.ts';
import { type Wanted, changed } from '../../src/manifest/wanted.ts';
import { validate } from '../../src/workflow/validate.ts';
import { kinds } from '../../src/resources/index.ts';
import { folderWith } from '../diagnostics/provoked.ts';
import { type MarkedProblem, marked } from './marked.ts';

/** The lines that a root file of these tests begins with. */
export const stageHead = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';

/** Reads a root file of a folder with these files, with a secret for each name. */
export async function stageIn(
  folder: string,
  file: string,
  { preview, values = {} }: { readonly preview?: string; readonly values?: Readonly<Record<string, string>> } = {},
): Promise<Manifest> {
  const { manifest } = await validate({
    workspace: await openWorkspace(folder),
    file,
    kinds,
    env: () => undefined,
    secret: (name) => `horse-${name}`,
    preview,
    given: (name) => {
      const text = values[name];
      return text === undefined ? undefined : { text, by: `--var ${name}` };
    },
    addSecret: () => {},
  });
  return manifest;
}

/** What `validate` finds in a root file of these files; the manifest where it finds no error. */
export async function validationOf(
  files: Readonly<Record<string, string>>,
  file: string,
): Promise<{ readonly manifest: Manifest | undefined; readonly diagnostics: readonly Diagnostic[] }> {
  return readManifest({
    workspace: await openWorkspace(folderWith(files)),
    file,
    kinds,
    env: () => undefined,
    secret: (name) => `horse-${name}`,
    given: () => undefined,
    addSecret: () => {},
  });
}

/** Reads `staging.yaml` of these files, or another root file. */
export async function stage(files: Readonly<Record<string, string>>, file = 'staging.yaml'): Promise<Manifest> {
  return stageIn(folderWith(files), file);
}

/** What is wrong with files, in which `§` marks a place: each problem with its code, its place and its texts. */
export async function mistakes(
  files: Readonly<Record<string, string>>,
  file = 'staging.yaml',
): Promise<readonly MarkedProblem[]> {
  const { texts, nameOf } = marked(files);
  try {
    await stage(texts, file);
    return [];
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(nameOf);
  }
}

/** What a manifest wants, without places, and with the keys of maps sorted: two that mean the same give the same. */
export function meaning({ resources, settings, variables }: Manifest): string {
  const { rootFile: _file, environment: _environment, projectAt: _project, moved, ...rest } = settings;
  // A secret prints as a mark: two values would be one.
  const open = resources.map(({ fields, maps, ...resource }) => {
    const inMaps = Object.entries(maps).map(([name, all]) => [name, new Map(opened(all))] as const);
    return {
      ...resource,
      fields: Object.fromEntries(opened(Object.entries(fields))),
      maps: Object.fromEntries(inMaps),
    };
  });
  return JSON.stringify({ resources: open, rest, variables: [...variables], moved }, (key, value: unknown) =>
    isPlace(value) || ['at', 'givenAt'].includes(key) || key === 'kind' || key === 'link' || key === 'resets'
      ? undefined
      : value instanceof Map
        ? [...value].toSorted(([a], [b]) => String(a).localeCompare(String(b)))
        : value instanceof Set
          ? [...value]
          : value,
  );
}

function opened(all: Iterable<readonly [string, Wanted]>) {
  return [...all].map(([name, wanted]) => [name, openOf(wanted)] as const);
}

/** A wanted value with what is in it, which prints otherwise as a mark. */
export function openOf(wanted: Wanted) {
  return { ...changed(wanted, {}), content: wanted.content.reveal() };
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'object' && value !== null && 'lines' in value;
}
