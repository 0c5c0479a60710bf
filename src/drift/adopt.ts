import { isDeployment } from '../plan/action.ts';
import { defined } from '../formats/json.ts';
import { readingOnly } from '../api/client.ts';
import { remembering } from '../api/remembering.ts';
import { type Diagnostic, diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Finding } from './finding.ts';
import type { StageFiles } from './adopt-place.ts';
import { type Adopted, adopt, isSettled } from './adopt-text.ts';
import { overlay } from '../export/prove-export.ts';
import { isWithin } from '../kind/address.ts';
import { yamlLimit } from '../manifest/load.ts';
import { differingAddresses } from '../manifest/differing.ts';
import { hasLayers } from '../manifest/layers.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Workspace } from '../manifest/workspace.ts';
import type { Connection } from '../workflow/connection.ts';
import { plan } from '../workflow/make-plan.ts';
import { knownParts } from '../secrets/looks-secret.ts';
import { type Drift, driftAt, findDrift } from './drift-run.ts';
import type { ProjectFolder } from '../project/folder.ts';
import { loadManifest, openFolder } from '../project/load.ts';
import { type Sibling, ownFiles, siblingsOf } from '../project/siblings.ts';
import { writeFiles } from '../project/write-files.ts';
import { type OtherStage, changesOther, filesNamedIn, otherStages } from './other-stages.ts';

/** What is adopted, and how. */
interface AdoptRequest {
  /** Addresses, or the ids of objects. */
  readonly subjects: readonly string[];
  /** Fields of the one address, each with all below it; none: all that drifted there. */
  readonly fields?: readonly string[];
  /** Every drifted field that was not accepted, instead of addresses. */
  readonly isAll?: boolean;
  /** false: nothing is written. */
  readonly writes: boolean;
  /** true: values of files and templates that several stages share change for all of them. */
  readonly isEverywhere?: boolean;
}

/** What was adopted. */
export interface AdoptResult extends Pick<Adopted, 'adopted' | 'left'> {
  /** Files that change, by name, with their texts. */
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  readonly isWritten: boolean;
  /** Addresses of the services that the next apply deploys: nothing proves that what runs has these values. */
  readonly deploys: readonly string[];
  /** Other root files, each with the addresses whose blocks change in it too. */
  readonly others: readonly OtherStage[];
}

/** What an adoption needs beside a manifest and a connection. */
interface AdoptContext {
  readonly options: ProjectFolder;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly request: AdoptRequest;
}

/**
 * Writes what the platform has into the files of the manifest. Sends GETs and nothing else. Before it writes,
 * a plan with the new texts has to show no change of what was adopted. Files are written all or none.
 *
 * @throws {Stop} `refused`, when nothing is found at an address, or nothing can be adopted; and as `findDrift`.
 */
export async function adoptDrift(
  manifest: Manifest,
  connection: Connection,
  context: AdoptContext,
): Promise<AdoptResult> {
  const { options, now, request } = context;
  const client = remembering(connection.client);
  const drift = await findDrift(manifest, { ...connection, client }, { folder: options, now, remembers: false });
  const findings = choose(drift.findings, request);
  const result = await adoptFindings(manifest, { ...connection, client }, { ...context, plan: drift.plan, findings });
  if (result.adopted.length === 0) throw new Stop('refused', result.left);
  return result;
}

/** The findings that `isAll` adopts. */
export function adoptable(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ is, status }) => is === 'drifted' && status !== 'accepted');
}

/**
 * Adopts what a comparison found, as `adoptDrift` does; its client remembers what the comparison read. Where nothing can be adopted,
 * nothing is written.
 *
 * @throws {Stop} `refused`
 */
export async function adoptFindings(
  manifest: Manifest,
  connection: Connection,
  context: AdoptContext & Pick<Drift, 'plan'> & { readonly findings: readonly Finding[] },
): Promise<AdoptResult> {
  const { options, request, findings } = context;
  // A pinned run reads fewer files; the files of the manifest have been read by its rules already.
  const workspace = await openFolder({ ...options, isPinned: false });
  const read = async (path: string) => {
    const file = await workspace.read(path, yamlLimit);
    return 'text' in file ? file.text : undefined;
  };
  const beside = await namedTexts(manifest.texts, workspace, read);
  const siblings = siblingsOf(options);
  const isEverywhere = request.isEverywhere === true;
  const found = adopt({
    plan: context.plan,
    stage: await stageFiles(manifest, { siblings, rootFile: options.file, isEverywhere }),
    resources: manifest.resources,
    findings,
    texts: manifest.texts,
    known: knownParts(options.redactor.find),
    named: (from, path) => {
      const file = workspace.beside(from, path);
      const text = beside.get(file);
      return text === undefined ? undefined : { file, text };
    },
  });
  const { adopted, left } = found;
  if (adopted.length === 0) return { adopted, left, files: [], isWritten: false, deploys: [], others: [] };
  const { deploys, planned } = await prove(found, {
    options,
    connection: { ...connection, client: readingOnly(connection.client) },
  });
  const alike = otherAddresses(manifest, planned, adopted);
  const stages = await otherStages(siblings, {
    files: found.files,
    beside: workspace.beside,
    rootFile: options.file,
    isEverywhere,
  });
  const others = [...(alike.length === 0 ? [] : [{ file: options.file, addresses: alike, removed: [] }]), ...stages];
  const [other] = others;
  if (other !== undefined && !isEverywhere) throw changesOther(other, options.file);
  const files: AdoptResult['files'][number][] = [];
  for (const [path, text] of found.files) {
    const before = (await read(path)) ?? '';
    const after = beside.has(path) || !before.startsWith('\uFEFF') ? text : `\uFEFF${text}`;
    if (before !== after) files.push({ path, before, after });
  }
  if (request.writes) {
    const remedy = 'The file was changed meanwhile: run trueup drift adopt again.';
    const changed = files.map(({ path, before, after }) => ({ path, content: after, replaces: before }));
    await writeFiles(workspace.root, changed, { remedy });
  }
  return { adopted, left, files, isWritten: request.writes, deploys, others };
}

/** The files of the stage; undefined: each value stands in one place, and no other root file shares it. */
async function stageFiles(
  manifest: Manifest,
  {
    isEverywhere,
    ...about
  }: { readonly siblings: readonly Sibling[]; readonly rootFile: string; readonly isEverywhere: boolean },
): Promise<StageFiles | undefined> {
  const environment = manifest.settings.environment?.name;
  const isOwn = await ownFiles(manifest, about);
  if (!hasLayers(manifest) && [...manifest.texts.keys()].every(isOwn)) return undefined;
  return { rootFile: about.rootFile, environment, isOwn, isEverywhere };
}

/** The texts of the files that `${file:…}` names in some texts, by the names that they have below the root. */
async function namedTexts(
  texts: Manifest['texts'],
  workspace: Pick<Workspace, 'beside'>,
  read: (path: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const beside = new Map<string, string>();
  for (const [from, text] of texts) {
    for (const file of filesNamedIn(from, text, workspace.beside)) {
      const content = beside.has(file) ? undefined : await read(file);
      if (content !== undefined) beside.set(file, content);
    }
  }
  return beside;
}

/**
 * Reads the manifest with the new texts, and plans it. Gives the services that it deploys and that have adopted values.
 *
 * @throws {Stop} `refused`, when a plan would change what was adopted
 */
async function prove(
  { files, adopted }: Adopted,
  { options, connection }: { options: ProjectFolder; connection: Parameters<typeof plan>[1] },
): Promise<{ readonly deploys: readonly string[]; readonly planned: Manifest }> {
  const remedy = 'Change the manifest by hand.';
  const refused = (message: string, why: readonly Diagnostic[] = [], address?: string) =>
    new Stop('refused', [
      diagnostic('not-editable', `${message}; nothing was written`, { remedy, ...defined({ address }) }),
      ...why,
    ]);
  const { manifest, planned } = await loadManifest(options, { around: (workspace) => overlay(workspace, files) })
    .then(async (loaded) => ({ manifest: loaded.manifest, planned: await plan(loaded.manifest, connection) }))
    .catch((error: unknown) => {
      if (!(error instanceof Stop)) throw error;
      throw refused('the manifest would not be valid with what the platform has', error.diagnostics);
    });
  const unsettled = adopted.find(({ finding }) => !isSettled(planned, finding));
  const deployed = planned.actions.filter(isDeployment).map(({ block }) => block);
  // Others are deployed for reasons of their own.
  const deploys = deployed.filter((service) =>
    adopted.some(({ finding: { address = '' } }) => isWithin(address, service) || isWithin(service, address)),
  );
  if (unsettled === undefined) return { deploys, planned: manifest };
  const { address = '', path } = unsettled.finding;
  throw refused(`a plan would still change ${path ?? address}`, [], address);
}

/** The addresses that mean something else though nothing of them is adopted: their values stand in the same place. */
function otherAddresses(before: Manifest, after: Manifest, adopted: Adopted['adopted']): readonly string[] {
  return differingAddresses(before, after).filter(
    (address) =>
      !adopted.some(({ finding: { is, address: own = '' } }) =>
        is === 'missing' ? isWithin(address, own) : address === own,
      ),
  );
}

/** The findings that are adopted. @throws {Stop} `refused`, when there are none, or they cannot be */
function choose(findings: readonly Finding[], { subjects, fields, isAll = false }: AdoptRequest): readonly Finding[] {
  if (isAll) {
    const found = adoptable(findings);
    if (found.length > 0) return found;
    const remedy = 'trueup drift lists what was found. Of what is accepted, missing or unmanaged, name the address.';
    throw stop('refused', 'bad-reference', 'nothing has drifted; nothing was written', { remedy });
  }
  return subjects.flatMap((subject) => {
    const chosen = driftAt(findings, { subject, fields });
    for (const one of chosen) refuseForeign(one, subject);
    return chosen;
  });
}

/** @throws {Stop} `refused`, for an object that no block declares */
function refuseForeign({ is, address }: Finding, subject: string): void {
  if (is !== 'unmanaged' && is !== 'duplicate') return;
  const [message, remedy] =
    is === 'unmanaged'
      ? [
          'the manifest does not manage it',
          address === undefined
            ? 'trueup export --unmanaged takes it in.'
            : `trueup export --address '${address}' takes it in.`,
        ]
      : ['it is a duplicate', 'Compare the two on the platform, and delete the one that is not needed.'];
  throw stop('refused', 'bad-reference', `cannot adopt ${subject}: ${message}; nothing was written`, { remedy });
}
