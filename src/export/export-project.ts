import { remembering } from '../api/remembering.ts';
import { isChange, shownAddress } from '../plan/action.ts';
import { defined } from '../formats/json.ts';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { didYouMean } from '../diagnostics/closest.ts';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { usage } from '../diagnostics/usage.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { appendEntries } from '../edit/append.ts';
import { withIncludes } from './includes.ts';
import type { Present } from './place-objects.ts';
import { type Layout, inFile, organizationFile, oneFile, projectLayout } from './compose-files.ts';
import type { TerraformState } from './terraform.ts';
import { type Exported, type ExportInput, makeExport } from './prove-export.ts';
import { type Records, checkReplaceable, checkReplaced } from './replaced-manifest.ts';
import { fileName } from './free-names.ts';
import { type SecretFile, patternsFor, rootText } from './root-file.ts';
import type { NamedSecret } from './secrets-of-export.ts';
import { addressParts, isWithin } from '../kind/address.ts';
import { type Kind, root } from '../kind/kind.ts';
import { isOfProject } from '../observe/ownership.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import { addToGit } from '../manifest/readable-files.ts';
import type { Connection } from '../workflow/connection.ts';
import { adoptedState, changesObject } from '../plan/adopted.ts';
import { learnPlatform } from '../workflow/learn-platform.ts';
import { plan, planWithIds } from '../workflow/make-plan.ts';
import { knownParts } from '../secrets/looks-secret.ts';
import { digestsOf } from '../state/digests.ts';
import type { State } from '../state/state.ts';
import { rememberedIn } from '../state/row-secrets.ts';
import { envSecrets } from '../secrets/sources/env.ts';
import { type SecretsOptions, exampleOf, freeExample, secretFileOf, secretsText } from './secret-file.ts';
import type { ProjectFolder } from '../project/folder.ts';
import { readingOf, workspaceOf } from '../project/pins.ts';
import { type SealedProject, changedMeanwhile, openSealedProject, sealedTexts } from '../project/sealed-secrets.ts';
import { ownFiles, siblingsOf } from '../project/siblings.ts';
import { type NewFile, ignoring, writeFiles } from '../project/write-files.ts';
import type { ExportReport } from '../render/export-report.ts';

/** What an export does beside writing blocks. */
interface ExportOptions extends SecretsOptions {
  /** Replaces files that are there. */
  readonly force?: boolean;
  /** Adds what the manifest that is there does not manage. */
  readonly unmanaged?: boolean;
  /** The address of the one object that is exported, with all below it. */
  readonly address?: string | undefined;
  /** Names blocks like the Terraform addresses of their objects. */
  readonly terraform?: TerraformState | undefined;
}

/** What an export wrote. */
type ExportResult = Omit<ExportReport, 'project' | 'folder' | 'counts'>;

/** What an export is made with. */
interface Exporting {
  readonly connection: Connection;
  readonly options: ProjectFolder;
  /** The values of the secrets that the manifest names, as far as this run has them. */
  readonly secret?: (name: string) => string | undefined;
  readonly how: ExportOptions;
}

/** The manifest that an export adds to, and the records of its state. */
interface Ground {
  readonly manifest: Manifest | undefined;
  readonly records: Records;
  readonly connection: Connection;
}

/** The file that gets a block, with its text. */
type TargetFile = NonNullable<Awaited<ReturnType<typeof targetOf>>>;

/**
 * Writes what a platform has and the manifest does not declare as a manifest, with its state: the next plan is empty.
 * Nothing on the platform changes. Needs the lock of the state.
 *
 * @param found undefined: the folder has no manifest yet
 * @throws {Stop} when a file is in the way, or the state belongs to other blocks; nothing was written then.
 */
export async function exportProject(
  found: Manifest | undefined,
  settings: Pick<Settings, 'platform' | 'project'>,
  exporting: Exporting,
): Promise<ExportResult> {
  const { options, how } = exporting;
  const { folder, file } = options;
  const saved = await exporting.connection.store.read();
  const { capabilities: platform, diagnostics: warnings } = await learnPlatform(saved, exporting.connection);
  const connection = { ...exporting.connection, discovers: false };
  const keep = (state: State) => connection.store.write({ ...state, ...defined({ platform }) });
  const records = Object.entries(saved?.resources ?? {});
  const manifest = extended(found, records.length, { folder, how });
  const replaced = manifest === undefined && records.length > 0 ? found : undefined;
  const sealed = await sealedOf(found, options);
  const secretFile = secretFileOf(folder, how, sealed?.files.map(({ path }) => path) ?? []);
  if (replaced !== undefined) checkReplaceable(replaced, file, secretFile);
  const ground = { manifest, records, connection };
  const present =
    replaced === undefined
      ? await presentIn(ground)
      : { addresses: new Map<string, string>(), taken: new Set<string>() };
  const before = manifest === undefined ? undefined : await readFile(join(folder, file), 'utf8');
  const left = how.address === undefined ? undefined : await stateLeft(how.address, ground);
  if (left !== undefined) {
    await writeFiles(folder, []); // removes the drafts of the killed run
    const { state, ...result } = left;
    await keep(state);
    return { ...nothingWritten, ...result, warnings };
  }
  const target = await targetOf(how, { manifest, options, before });
  const digests = saved === undefined ? undefined : digestsOf(await connection.store.key(), saved);
  const used = new Set([
    ...secretNamesIn(manifest),
    ...(sealed?.files ?? []).flatMap(({ file: { values } }) => [...values.keys()]),
  ]);
  const input = {
    ...(await inputOf({ ...exporting, connection }, { used, records, digests })),
    projectId: settings.project,
    environment: manifest?.settings.environment?.name,
    present,
    rootFor: rootsFor(before, settings, secretFile),
  };
  const layoutOf = await layoutsFor(folder, target);
  const isNew = (manifest?.resources.length ?? 0) === 0;
  const exportAs = (stem: string | undefined) => makeExport({ ...input, layout: layoutOf(stem) });
  const { stem, exported } = await withFreeName(isNew ? undefined : { folder, manifest }, exportAs);
  if (replaced !== undefined) {
    const there = await readdir(join(folder, 'environments')).catch(() => []);
    checkReplaced(replaced, records, { exported, there });
  }
  if (how.address !== undefined && exported.blocks.size === 0)
    throw new Stop('usage', [...warnings, ...nothingAt(how.address, exported, ground).diagnostics]);
  // The files that are there list those that the manifest names already.
  const secrets = exported.secrets.filter(({ name }) => !used.has(name));
  const written = await writeExport(exported, exporting, { before, secretFile, target, stem, secrets, sealed });
  // After the files: a state without them would let the next apply delete what it holds.
  if (exported.blocks.size > 0) await keep(exported.state);
  return {
    blocks: new Map([...exported.blocks].map(([address, { kind }]) => [address, kind.kind])),
    warnings,
    notes: exported.notes,
    isEmpty: exported.isEmpty,
    ...written,
    sharedFile: written.files.find((path) => path === organizationFile),
    secrets: secrets.map(({ name, usedBy }) => ({ name, usedBy })),
  };
}

/** The text of the manifest that is there, or of a new one, with the files that it includes. */
function rootsFor(
  before: string | undefined,
  settings: Parameters<typeof exportProject>[1],
  secretFile: SecretFile | undefined,
): ExportInput['rootFor'] {
  return (included, hasSecrets) => {
    const secrets = hasSecrets ? secretFile : undefined;
    return before === undefined
      ? rootText({ ...settings, include: patternsFor(included), secrets })
      : withIncludes(before, included, secrets);
  };
}

const nothingWritten = {
  files: [],
  toAdd: undefined,
  secrets: [],
  secretsFile: undefined,
  isSecretsFileNamed: false,
  isSecretsFileSealed: false,
  notes: [],
} as const;

/** How the manifest is read and its blocks are written. */
async function inputOf(
  { connection, options, how, secret = envSecrets(options.env) }: Exporting,
  {
    used,
    records,
    digests,
  }: {
    readonly used: ReadonlySet<string>;
    readonly records: Records;
    readonly digests: ReturnType<typeof digestsOf> | undefined;
  },
): Promise<Omit<ExportInput, 'projectId' | 'present' | 'layout' | 'rootFor'>> {
  const byId = new Map(records.map((one) => [one[1].id ?? '', one]));
  return {
    connection: { ...connection, client: remembering(connection.client) },
    reading: { ...readingOf(options), secret },
    workspace: await workspaceOf(options),
    usedSecrets: { names: used, valueOf: secret },
    known: knownParts(options.redactor.find),
    managed: new Set(byId.keys()),
    remembered: ({ kind, id, row }) => {
      const [address = '', record] = byId.get(id) ?? [];
      return digests === undefined ? undefined : rememberedIn(row, { kind, record }, (name) => digests(address, name));
    },
    only: how.address,
    terraform: how.terraform,
  };
}

/** The files that the blocks go to, by the name without its ending of the new one; undefined: of a new manifest. */
async function layoutsFor(
  folder: string,
  target: TargetFile | undefined,
): Promise<(stem: string | undefined) => Layout> {
  if (target === undefined) return (stem) => (stem === undefined ? projectLayout() : oneFile(`${stem}.yaml`, []));
  const { file, text } = target;
  const beside = await filesBeside(folder, file);
  return () => inFile(file, (entries) => appendEntries(file, text, entries), beside);
}

/** The bytes of a file; undefined: there is none. @throws as `open` does: what cannot be read is not replaced either. */
const bytesOf = (path: string) =>
  readRegularFile(path, Number.POSITIVE_INFINITY).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    throw error;
  });

/** Reads files of a folder; undefined: one is not there. */
const readIn = (folder: string) => async (path: string) => (await bytesOf(join(folder, path)))?.toString();

/** Writes the files of an export, and that of its secrets. */
async function writeExport(
  { files: exported }: Exported,
  { options, how }: Exporting,
  {
    before,
    secretFile,
    sealed,
    target,
    stem,
    secrets,
  }: {
    /** The text of the manifest that is there. */
    readonly before: string | undefined;
    readonly secretFile: SecretFile | undefined;
    readonly sealed: SealedProject | undefined;
    readonly target: TargetFile | undefined;
    readonly stem: string | undefined;
    readonly secrets: readonly NamedSecret[];
  },
): Promise<Pick<ExportResult, 'files' | 'toAdd' | 'secretsFile' | 'isSecretsFileNamed' | 'isSecretsFileSealed'>> {
  const { folder, file } = options;
  const root = exported.get(file) ?? '';
  const isSealed = secretFile?.is === 'sealed';
  const files: NewFile[] = [...exported].flatMap(([path, content]) =>
    path === file ? [] : [{ path, content, ...(path === target?.file ? { replaces: target.text } : {}) }],
  );
  const secretPaths = secretFile?.is === 'file' ? [secretFile.path] : [];
  if (secrets.length > 0 && !isSealed) {
    const textFor = (path: string) => exampleOf(secrets, path, options, sealed !== undefined);
    const { path, content } =
      stem === undefined
        ? { path: 'secrets.env', content: textFor('secrets.env') }
        : await freeExample(nameOf(how.address) ?? stem, {
            textFor,
            read: readIn(folder),
            isForced: how.force === true,
          });
    secretPaths.push(path);
    files.push({ path: `${path}.example`, content });
  }
  const isAsked = how.secretsFile !== undefined && secrets.length > 0;
  // A sealed file can hold what an env file cannot.
  const values = isAsked
    ? isSealed
      ? ''
      : await secretsText(secrets, how, { ...options, before: await bytesOf(how.secretsFile) })
    : undefined;
  if (values !== undefined && !isSealed && secretFile !== undefined) {
    const own = ['.gitignore', file, ...files.map(({ path }) => path)];
    if (own.includes(secretFile.path))
      throw usage(
        `the export writes ${secretFile.path} itself, so it cannot hold the secrets`,
        'Write --with-secrets secrets.env.',
      );
  }
  // Before the secrets: a killed run leaves none that git would take.
  const ignore = await ignoring(folder, secretPaths);
  const first: NewFile[] = ignore === undefined ? [] : [ignore];
  // A file that gets a block comes last: where the run is killed before it, the same command starts again.
  const order = ({ path }: NewFile) => `${path === target?.file ? 1 : 0}${path}`;
  const own: NewFile[] = root === before ? [] : [{ path: file, content: root, ...defined({ replaces: before }) }];
  const others = files.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const all = target === undefined || target.file === file ? [...others, ...own] : [...own, ...others];
  const isInside = values !== undefined && secretFile !== undefined;
  if (values !== undefined && how.secretsFile !== undefined && !isInside) {
    const at = how.secretsFile.lastIndexOf(sep) + 1;
    const [path, content] = [how.secretsFile.slice(at), values];
    await writeFiles(how.secretsFile.slice(0, at), [{ path, content, isPrivate: true }], how);
  }
  const inClear = isInside && !isSealed ? [{ path: secretFile.path, content: values, isPrivate: true }] : [];
  const privately = isInside && isSealed ? await sealedIn(secretFile.path, secrets, { sealed, options }) : inClear;
  await writeFiles(folder, [...first, ...privately, ...all], how);
  const written = [...first, ...all].map(({ path }) => path).toSorted();
  const namesFiles = [...exported.values()].some((text) => text.includes('${file:'));
  return {
    files: written,
    toAdd: namesFiles ? await addToGit(folder, written) : undefined,
    secretsFile: values === undefined ? undefined : how.secretsFile,
    isSecretsFileNamed: secretFile !== undefined && root.includes(secretFile.path),
    isSecretsFileSealed: isSealed,
  };
}

/** The sealed files of a manifest; undefined: it has none. */
async function sealedOf(found: Manifest | undefined, options: ProjectFolder): Promise<SealedProject | undefined> {
  return found?.settings.secrets.some(({ is }) => is === 'sealed') === true ? openSealedProject(options) : undefined;
}

/** A sealed file with the values of secrets. */
async function sealedIn(
  path: string,
  secrets: readonly NamedSecret[],
  { sealed, options }: { readonly sealed: SealedProject | undefined; readonly options: ProjectFolder },
): Promise<NewFile[]> {
  if (sealed === undefined) return [];
  const project = { ...sealed, files: sealed.files.filter((one) => one.path === path) };
  const values = new Map(secrets.map(({ name, value }) => [name, value]));
  const texts = await sealedTexts(options, project, values);
  return texts.map(({ text, ...file }) => ({ ...file, ifChanged: changedMeanwhile, ...defined({ replaces: text }) }));
}

/** The names of the secrets that the files of a manifest name. */
function secretNamesIn(manifest: Manifest | undefined): ReadonlySet<string> {
  const texts = [...(manifest?.texts.values() ?? [])];
  return new Set(texts.flatMap((text) => [...text.matchAll(/\$\{secret:([^}|]+)/g)].map(([, name = '']) => name)));
}

/** The manifest that an export adds to; undefined for a new one, also where a killed export has written all of its files. */
function extended(
  manifest: Manifest | undefined,
  managed: number,
  { folder, how }: { readonly folder: string; readonly how: ExportOptions },
): Manifest | undefined {
  const isNew = how.unmanaged !== true && how.address === undefined;
  const own = manifest?.settings.environment?.name;
  if (isNew && own !== undefined)
    throw usage(
      `export writes a whole project, and ${manifest?.settings.rootFile ?? ''} is of the environment ${own}`,
      'trueup export --unmanaged adds what the environment has and the manifest does not; --out DIR writes the project elsewhere.',
    );
  if (manifest === undefined || manifest.resources.length === 0 || !isNew) return manifest;
  if (managed === 0 || how.force === true) return undefined;
  throw usage(
    `there is a manifest with resources in ${folder}`,
    'trueup export --unmanaged adds what it does not manage; --out DIR writes a new manifest elsewhere; --force replaces an earlier export.',
  );
}

function nothingAt(
  address: string,
  { unmanaged, notes }: Pick<Exported, 'unmanaged' | 'notes'>,
  { records, connection }: Ground,
): Stop {
  if (records.some(([known]) => known === address)) {
    return usage(
      `the state manages ${address}, and the manifest has no block for it`,
      `Check that ${connection.store.location} is the state of this manifest. Then trueup state rm '${address}' removes it there.`,
    );
  }
  const why = notes.find((note) => note.address === address);
  if (why !== undefined) {
    const remedy = why.remedy ?? 'Change it on the platform, or delete it there, and export again.';
    return usage(`${address} cannot be exported: ${why.message}`, remedy);
  }
  const some = unmanaged.slice(0, 10).join(', ');
  const has =
    unmanaged.length === 0 ? 'Everything is managed already.' : `It has ${some}${unmanaged.length > 10 ? ', …' : ''}.`;
  return usage(`the platform has nothing at ${address} that is not managed`, didYouMean(address, unmanaged, has));
}

/** What the manifest and the state have already. */
async function presentIn({ manifest, records, connection }: Ground): Promise<Present> {
  if (manifest === undefined && records.length > 0) {
    const message = `the state ${connection.store.location} has ${records.length} resources, and there is no manifest`;
    throw stop('state', 'state-unusable', message, { remedy: 'Restore the manifest, or move the state away.' });
  }
  const addresses = new Map(records.flatMap(([address, { id }]) => (id === null ? [] : [[id, address] as const])));
  const taken = new Set(records.map(([address]) => address));
  if (manifest === undefined || manifest.resources.length === 0) return { addresses, taken };
  // A block without its object may be that of one that no state knows yet.
  const { observed } = await plan(manifest, connection);
  for (const [address, { id }] of observed.objects) addresses.set(id, address);
  for (const { address } of manifest.resources) taken.add(address);
  const { address = '' } = manifest.resources.find(({ kind }) => kind.isTop === true) ?? {};
  const id = observed.objects.get(address)?.id;
  return { addresses, taken, project: id === undefined ? undefined : { id, address } };
}

/**
 * The state of an export of one address that was killed between its files and its state: the blocks are there, the platform
 * has what they declare, and the state has none of them. undefined: the files are not those of such an export.
 */
async function stateLeft(
  address: string,
  { manifest, records, connection }: Ground,
): Promise<(Pick<Exported, 'state' | 'isEmpty'> & Pick<ExportResult, 'blocks'>) | undefined> {
  const managed = new Set(records.map(([one]) => one));
  const declared = (manifest?.resources ?? []).filter(
    (one) => isWithin(one.address, address) && !managed.has(one.address),
  );
  if (manifest === undefined || !declared.some((one) => one.address === address)) return undefined;
  const { observed } = await plan(manifest, connection);
  const ids = new Map(declared.map((one) => [one.address, observed.objects.get(one.address)?.id ?? '']));
  if ([...ids.values()].includes('')) return undefined;
  const made = await planWithIds(manifest, connection, ids);
  const addresses = new Set(ids.keys());
  const isSending = made.actions.some((one) => addresses.has(one.address) && changesObject(one));
  if (isSending) return undefined;
  const blocks = new Map(declared.map(({ address: at, kind }) => [at, kind.kind]));
  const isEmpty = made.actions.every((one) => !isChange(one) || addresses.has(shownAddress(one)));
  return { state: adoptedState(made, addresses, digestsOf(await connection.store.key(), made.base)), blocks, isEmpty };
}

/**
 * The file that blocks are added to, with its text: the one of the blocks beside that of an address, or of the block around
 * it; of a stage the root file. undefined: a new one.
 */
async function targetOf(
  { address, unmanaged }: ExportOptions,
  {
    manifest,
    options,
    before = '',
  }: { readonly manifest: Manifest | undefined; readonly options: ProjectFolder; readonly before: string | undefined },
): Promise<{ readonly file: string; readonly text: string } | undefined> {
  const { folder, file } = options;
  const isStage = manifest?.settings.environment !== undefined;
  if (address === undefined) return isStage && unmanaged === true ? { file, text: before } : undefined;
  if (manifest === undefined)
    throw usage('--address adds to a manifest, and there is none', 'Export everything first.');
  const { resources } = manifest;
  const taken = resources.find((one) => one.address === address);
  if (taken !== undefined) throw usage(`${address} is declared already`, 'Choose another address.');
  const parts = addressParts(address) ?? [];
  const around = resources.findLast((one) => isWithin(address, one.address));
  const section = parts.at(-2);
  const beside = resources.find((one) => one.parent === around?.address && one.kind.section === section);
  // What belongs to the organization stands in one file.
  const isShared = options.kinds.some((kind) => kind.section === parts[0] && isOfOrganization(kind));
  const alike = isShared ? resources.find(({ kind }) => isOfOrganization(kind)) : undefined;
  const path = isStage
    ? await fileInStage(address, around, { manifest, options })
    : (beside ?? around ?? alike)?.at.file;
  return { file: path ?? file, text: await readFile(join(folder, path ?? file), 'utf8') };
}

function isOfOrganization(kind: Kind): boolean {
  return kind.parents[root] !== undefined && !isOfProject(kind);
}

/** The file of a stage that gets a block: the root file, or that of the block around it. @throws {Stop} `usage`, for a shared one */
async function fileInStage(
  address: string,
  around: Resource | undefined,
  { manifest, options }: { readonly manifest: Manifest; readonly options: ProjectFolder },
): Promise<string> {
  if (around === undefined || around.kind.isTop === true || around.kind.identity.addressedByKey === true)
    return options.file;
  const { file, via } = around.at;
  const isOwn = await ownFiles(manifest, { siblings: siblingsOf(options), rootFile: options.file });
  if (via === undefined && isOwn(file)) return file;
  throw usage(
    `cannot add ${address} for this stage alone: ${around.address} stands in ${file}, which other root files use`,
    'changes: adds no block. Write the block by hand into that file, for all stages.',
  );
}

/** The files that may stand beside a file of a manifest: their names are taken. */
async function filesBeside(folder: string, file: string): Promise<readonly string[]> {
  const beside = file.replace(/\.ya?ml$/, '');
  const names = await readdir(join(folder, beside), { recursive: true }).catch(() => []);
  return names.map((name) => `${beside}/${name.split(sep).join('/')}`);
}

/**
 * Exports into the first new file whose name is free, or that a killed export has left with the same text: no manifest
 * includes that one. `stem` is the name without its ending; undefined for a new manifest.
 */
async function withFreeName(
  beside: { readonly folder: string; readonly manifest: Manifest | undefined } | undefined,
  exportWith: (stem: string | undefined) => Promise<Exported>,
): Promise<{ readonly stem: string | undefined; readonly exported: Exported }> {
  if (beside === undefined) return { stem: undefined, exported: await exportWith(undefined) };
  const { folder, manifest } = beside;
  for (let count = 1; ; count++) {
    const stem = count === 1 ? 'unmanaged' : `unmanaged-${count}`;
    const file = `${stem}.yaml`;
    const found = await readIn(folder)(file);
    if (found === undefined ? existsSync(join(folder, file)) : manifest?.texts.has(file) === true) continue;
    const exported = await exportWith(stem);
    if (found === undefined || found === exported.files.get(file)) return { stem, exported };
  }
}

/** The name of a file from the address of a block. */
function nameOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : fileName((addressParts(address) ?? []).join('-'));
}
