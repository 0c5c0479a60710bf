import { remembering } from '../api/remembering.ts';
import { type Diagnostic, diagnostic, hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Manifest, ManifestInput } from '../manifest/manifest.ts';
import type { Resource } from '../manifest/resource.ts';
import type { FileText, Workspace } from '../manifest/workspace.ts';
import { matchesGlob } from '../formats/glob.ts';
import { createReader } from '../observe/reader.ts';
import { type Plan, isChange, shownAddress } from '../plan/action.ts';
import { adoptedState, changesObject, differing } from '../plan/adopted.ts';
import type { Connection } from '../workflow/connection.ts';
import { planWithIds } from '../workflow/make-plan.ts';
import { validate } from '../workflow/validate.ts';
import { digestsOf } from '../state/digests.ts';
import type { State } from '../state/state.ts';
import { type Composed, type ComposeInput, compose } from './compose-files.ts';
import type { NamedSecret } from './secrets-of-export.ts';
import { notesOnProject } from './project-notes.ts';
import { survey } from './survey.ts';

/** What an export is made from. */
export interface ExportInput extends Omit<
  ComposeInput,
  'kinds' | 'allKinds' | 'isServedKnown' | 'survey' | 'dropped' | 'leftOut'
> {
  readonly connection: Connection;
  /** How the manifest is read, with the files of the export as if they were there. */
  readonly reading: Omit<ManifestInput, 'workspace'>;
  /** The folder that the files go to. */
  readonly workspace: Workspace;
  readonly projectId: string;
  /** The text of the root file for an export that includes these files. */
  readonly rootFor: (included: readonly string[], hasSecrets: boolean) => string;
}

/** An export that was proved: with its files and its state, a plan is empty. */
export interface Exported {
  readonly files: ReadonlyMap<string, string>;
  readonly secrets: readonly NamedSecret[];
  /** The new blocks, by address. */
  readonly blocks: ReadonlyMap<string, Resource>;
  readonly notes: readonly Diagnostic[];
  /** The addresses of all objects that were not there, whether they are exported or not. */
  readonly unmanaged: readonly string[];
  /** The plan of what was there before has no changes either. */
  readonly isEmpty: boolean;
  /** The state that goes with the files. */
  readonly state: State;
}

/** Most times that blocks are written again without what turned out to be impossible. */
const maxRounds = 50;

/**
 * Writes what a platform has as a manifest. Sends GETs only, each once. What a manifest cannot hold, or would change on the
 * platform, is left out and noted: the plan of what is written sends nothing.
 *
 * @throws {Stop} when the manifest that is there has errors, or the platform cannot be read.
 */
export async function makeExport(input: ExportInput): Promise<Exported> {
  const connection = { ...input.connection, client: remembering(input.connection.client) };
  const kinds = kindsThere(connection.kinds, connection.client.contract);
  const isServedKnown = connection.client.contract.isAssumed !== true;
  const served = { kinds, allKinds: connection.kinds, isServedKnown };
  const reader = createReader(connection.client, 'in bulk');
  const found = await survey(reader, kinds, input.projectId);
  const isNamed = input.only === undefined && input.present.project === undefined;
  const onProject = isNamed ? await notesOnProject(found, { reader, client: connection.client }) : [];
  const dropped = new Map<string, string>();
  const leftOut = new Map<string, Set<string>>();
  const why: Diagnostic[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const composed = compose({ ...input, ...served, survey: found, dropped, leftOut });
    for (const { value } of composed.secrets) connection.addSecret(value);
    const root = input.rootFor(composed.included, composed.secrets.length > 0);
    const files = new Map([[input.reading.file, root], ...composed.files]);
    const judging = { composed, dropped, leftOut, notes: why, kinds };
    const manifest = await readWith(input, files, composed).catch((error: unknown) => {
      if (error instanceof Stop && leaveOutErrors(error.diagnostics, judging)) return undefined;
      throw error;
    });
    if (manifest === undefined) continue;
    const plan = await planWithIds(manifest, connection, composed.ids).catch((error: unknown) => {
      if (error instanceof Stop && leaveOutErrors(error.diagnostics, judging)) return undefined;
      throw error;
    });
    if (plan === undefined || leaveOutChanges(plan, judging)) continue;
    const addresses = new Set(composed.ids.keys());
    // A block that was left out as a whole has a note of its own.
    const isOfBlock = ({ address = '' }: Diagnostic): boolean => addresses.has(address);
    const declared = manifest.resources.filter(({ address }) => addresses.has(address));
    return {
      files,
      secrets: composed.secrets,
      blocks: new Map(declared.map((resource) => [resource.address, resource])),
      notes: [...onProject, ...composed.notes, ...why.filter(isOfBlock)].toSorted(byAddress),
      unmanaged: composed.unmanaged,
      isEmpty: plan.actions.every((one) => !isChange(one) || addresses.has(shownAddress(one))),
      state: adoptedState(plan, addresses, digestsOf(await connection.store.key(), plan.base)),
    };
  }
  throw new Error('the export does not come to rest');
}

/** What belongs to no block comes first. */
function byAddress(a: Diagnostic, b: Diagnostic): number {
  const [first, second] = [a, b].map(({ address = '', message }) => `${address}\0${message}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

async function readWith(
  { workspace, reading }: ExportInput,
  files: ReadonlyMap<string, string>,
  { secrets }: Composed,
): Promise<Manifest> {
  const values = new Map(secrets.map(({ name, value }) => [name, value]));
  const { manifest } = await validate({
    ...reading,
    workspace: overlay(workspace, files),
    secret: (name) => values.get(name) ?? reading.secret(name),
  });
  return manifest;
}

/** A workspace in which more files are there. */
export function overlay(workspace: Workspace, files: ReadonlyMap<string, string>): Workspace {
  const textOf = (path: string): FileText | undefined => {
    const text = files.get(path);
    return text === undefined ? undefined : { text };
  };
  return {
    ...workspace,
    read: async (path, limit) => textOf(path) ?? workspace.read(path, limit),
    readAll: async (paths, limit, options) => {
      const all = [...new Set(paths)];
      const others = await workspace.readAll(
        all.filter((path) => !files.has(path)),
        limit,
        options,
      );
      return new Map(
        all.map((path) => [path, textOf(path) ?? others.get(path) ?? { problem: `there is no file ${path}` }]),
      );
    },
    match: async (pattern) => {
      const there = await workspace.match(pattern);
      if ('problem' in there) return there;
      const at = pattern.lastIndexOf('/') + 1;
      const added = [...files.keys()].filter(
        (path) =>
          path.slice(0, at) === pattern.slice(0, at) &&
          !path.slice(at).includes('/') &&
          matchesGlob(pattern.slice(at), path.slice(at)),
      );
      return [...new Set([...there, ...added])].toSorted();
    },
  };
}

interface Judging {
  readonly composed: Composed;
  readonly dropped: Map<string, string>;
  readonly leftOut: Map<string, Set<string>>;
  readonly notes: Diagnostic[];
  readonly kinds: readonly Kind[];
}

/** Leaves out what errors are about: the field that a message names, else the block. False: they are about something else. */
function leaveOutErrors(errors: readonly Diagnostic[], judging: Judging): boolean {
  let isOurs = false;
  for (const { severity, address, message } of errors) {
    if (severity !== 'error') continue;
    if (address === undefined || !judging.composed.ids.has(address)) {
      const ours = [...judging.composed.ids.keys()].find((one) => message.startsWith(`${one} `));
      if (ours === undefined) return isOurs;
      judging.dropped.set(ours, message);
    } else {
      const named = fieldNamedBy(message, judging);
      // The entry of a map that a message names takes the others with it.
      const why =
        named !== undefined && message.startsWith(`${named.path}.`) ? `all of ${named.path}: ${message}` : message;
      if (!leaveOutField(address, named?.name, why, judging)) judging.dropped.set(address, message);
    }
    isOurs = true;
  }
  return isOurs;
}

/** Leaves out what a plan would change. False: it changes nothing of ours. */
function leaveOutChanges(plan: Plan, judging: Judging): boolean {
  let isChange = false;
  for (const action of plan.actions) {
    const { address, notes } = action;
    if (!judging.composed.ids.has(address) || !changesObject(action)) continue;
    const fields = differing(action);
    isChange = true;
    const reason =
      notes.find(({ severity }) => severity === 'error')?.message ??
      'the platform would be changed by what a block can say';
    const isLess = fields
      .map((field) => leaveOutField(address, field, `${fieldPath(action.kind, field)}: ${reason}`, judging))
      .includes(true);
    if (!isLess) judging.dropped.set(address, reason);
  }
  return isChange || (hasErrors(plan.diagnostics) && leaveOutErrors(plan.diagnostics, judging));
}

function leaveOutField(address: string, field: string | undefined, why: string, judging: Judging): boolean {
  const { leftOut, notes } = judging;
  if (field === undefined || leftOut.get(address)?.has(field) === true) return false;
  leftOut.set(address, new Set([...(leftOut.get(address) ?? []), field]));
  notes.push(diagnostic('not-exported', why, { address }));
  return true;
}

/** The field that the message of an error begins with: `env.API: …`. */
function fieldNamedBy(
  message: string,
  { kinds }: Judging,
): { readonly name: string; readonly path: string } | undefined {
  const named = kinds.flatMap((kind) =>
    Object.keys(kind.fields).flatMap((name) => {
      const path = fieldPath(kind, name);
      return [':', '.', ' '].some((sign) => message.startsWith(path + sign)) ? [{ name, path }] : [];
    }),
  );
  return named.toSorted((a, b) => b.name.length - a.name.length)[0];
}
