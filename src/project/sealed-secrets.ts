import { relative, resolve, sep } from 'node:path';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { usage } from '../diagnostics/usage.ts';
import { fileLimit, identitiesOf } from '../manifest/ask-sources.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { withoutExample } from '../manifest/preview.ts';
import { wantedAttributes } from '../manifest/resource.ts';
import type { SecretSource } from '../manifest/secret-source-shape.ts';
import { position } from '../manifest/tree.ts';
import { type Wanted, concealedIn } from '../manifest/wanted.ts';
import type { Workspace } from '../manifest/workspace.ts';
import type { Recipe } from '../secrets/generate-secret.ts';
import { type SealedFile, openSealed, readSealedFile, recipientCount, seal } from '../secrets/sources/sealed.ts';
import { withHeader, withValues } from '../secrets/sources/sealed-lines.ts';
import { type ProjectFolder, fileOption } from './folder.ts';
import { linkTarget } from './links.ts';
import { loadManifest, openFolder, readIdentity } from './load.ts';
import { siblingsOf } from './siblings.ts';
import { writeFiles } from './write-files.ts';

/** A sealed file of a manifest. */
interface OpenSealedFile {
  /** As it is named below the folder. */
  readonly path: string;
  /** The file itself, below the folder, where that is a link in it: what writes a file follows no link. */
  readonly real: string;
  /** Those of the manifest, sorted. */
  readonly recipients: readonly string[];
  /** Empty where there is no file yet. */
  readonly file: SealedFile;
  /** undefined: there is no file yet. */
  readonly text: string | undefined;
}

/** The sealed files of a manifest, and what it says of secrets. */
export interface SealedProject {
  readonly files: readonly OpenSealedFile[];
  /** The addresses and other parts of the manifest that use a secret, by its name. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly generated: ReadonlyMap<string, Recipe>;
  /** true: the root file is one of previews, and the command line names none. */
  readonly isOfPreviews: boolean;
}

/**
 * Reads the manifest of a folder, and the sealed files that it names. Opens no value.
 * @throws {Stop} as `loadManifest`; `usage`, without a sealed file; `refused`, when one cannot be used
 */
export async function openSealedProject(options: ProjectFolder): Promise<SealedProject> {
  const { manifest } = await loadManifest(options);
  const sources = manifest.settings.secrets.filter((source) => source.is === 'sealed');
  if (sources.length === 0) throw noSealedFile(manifest.settings.secrets, options.file);
  const { generated, preview } = manifest.settings;
  const isOfPreviews = preview !== undefined && options.preview === undefined;
  const uses = usesIn(manifest, isOfPreviews ? withoutExample : (address) => address);
  return { files: await openFiles(sources, options), uses, generated, isOfPreviews };
}

/**
 * The names of the sealed files, each with its file. Opens no value.
 * @throws {Stop} `refused`, when a sealed file cannot be used
 */
export async function sealedNames(
  options: ProjectFolder,
  sources: readonly SecretSource[],
): Promise<ReadonlyMap<string, string>> {
  const files = await openFiles(
    sources.filter((source) => source.is === 'sealed'),
    options,
  );
  return new Map(files.flatMap(({ path, file }) => [...file.values.keys()].map((name) => [name, path] as const)));
}

/** Other sources are only read: their own tools write them. */
function noSealedFile(sources: readonly SecretSource[], file: string): Stop {
  const [source] = sources;
  const path = source === undefined || !('path' in source) ? 'FILE' : shellWord(source.path);
  const commands = {
    sops: `sops edit ${path}`,
    dotenvx: `dotenvx set NAME -f ${path}`,
    age: `age -r age1… -o ${path}`,
    file: path,
  };
  const own =
    source === undefined || !(source.is in commands)
      ? ''
      : ` Or change the file with its tool: ${commands[source.is as keyof typeof commands]}.`;
  const remedy = `Write secrets: [{ sealed: secrets/production.env, recipients: [age1…] }]; age-keygen prints a recipient.${own}`;
  return usage(`${file} names no sealed file under secrets:`, remedy);
}

type SealedSource = Extract<SecretSource, { readonly is: 'sealed' }>;

async function openFiles(sources: readonly SealedSource[], options: ProjectFolder): Promise<readonly OpenSealedFile[]> {
  const workspace = await openFolder(options);
  return Promise.all(sources.map((source) => openFile(source, workspace)));
}

async function openFile(
  { path: written, recipients, at }: SealedSource,
  workspace: Workspace,
): Promise<OpenSealedFile> {
  const path = workspace.beside(at.file, written);
  const named = { path, real: path, recipients: [...new Set(recipients)].toSorted() };
  const refuse = (problem: string, remedy: string) =>
    stop('refused', 'sealed-file', `secrets: ${problem}`, { remedy, position: position(at) });
  const read = await workspace.readBytes(path, fileLimit);
  if ('problem' in read) {
    if (read.isMissing === true) return { ...named, file: { recipients: [], values: new Map() }, text: undefined };
    throw refuse(read.problem, read.remedy ?? 'Name another file under sealed:.');
  }
  const file = readSealedFile(read.bytes);
  if ('problem' in file) throw refuse(`${path} ${file.problem}`, file.remedy);
  const real = relative(workspace.root, linkTarget(resolve(workspace.root, path))).replaceAll(sep, '/');
  return { ...named, real, file, text: Buffer.from(read.bytes).toString('utf8') };
}

/** What uses each secret: addresses as `shown` has them, outputs, notifications. */
function usesIn(
  { resources, outputs, settings: { notify = [] } }: Manifest,
  shown: (address: string) => string,
): Map<string, readonly string[]> {
  const uses = new Map<string, Set<string>>();
  const add = (name: string, user: string) => uses.set(name, (uses.get(name) ?? new Set()).add(user));
  const addAll = (wanted: Wanted, user: string) => {
    for (const { from, name } of concealedIn(wanted)) if (from === 'secret') add(name, user);
  };
  for (const resource of resources)
    for (const { wanted } of wantedAttributes(resource)) addAll(wanted, shown(resource.address));
  for (const [name, wanted] of outputs) addAll(wanted, `outputs.${name}`);
  for (const { url, signature } of notify)
    for (const name of [url, signature]) if (name !== undefined) add(name, 'drift.notify');
  return new Map([...uses].map(([name, addresses]) => [name, [...addresses]]));
}

/** The file that has a value, or else the first. */
function fileOf({ files }: SealedProject, name: string): OpenSealedFile {
  const [first] = files;
  if (first === undefined) throw new Error('a sealed project has a file');
  return files.find(({ file }) => file.values.has(name)) ?? first;
}

/**
 * Seals values, which no output shows from then on, into the files that have their names, and writes each file once.
 * @returns the file of each name
 * @throws {Stop} `refused`, when a file is sealed for other recipients, or would be too large; nothing was written then
 */
export async function writeValues(
  options: ProjectFolder,
  project: SealedProject,
  values: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  for (const value of values.values()) options.redactor.add(value);
  await write(options, await sealedTexts(options, project, values));
  return new Map([...values.keys()].map((name) => [name, fileOf(project, name).path]));
}

/**
 * The texts of the files that have the names of values, with these sealed.
 * @throws {Stop} `refused`, when a file is sealed for other recipients, or another root file reads it for others
 */
export async function sealedTexts(
  options: ProjectFolder,
  project: SealedProject,
  values: ReadonlyMap<string, string>,
): Promise<readonly { readonly path: string; readonly text: string | undefined; readonly content: string }[]> {
  const files = [...new Set([...values.keys()].map((name) => fileOf(project, name)))];
  await requireReaders(options, files);
  for (const file of files) requireRecipients(options, file);
  return Promise.all(
    files.map(async ({ path, real, recipients, file, text }) => {
      const own = [...values].filter(([name]) => fileOf(project, name).path === path);
      const sealed = await Promise.all(
        own.map(async ([name, value]) => [name, await seal(name, value, recipients)] as const),
      );
      // A file without values is for nobody yet.
      const before = text === undefined || file.values.size > 0 ? (text ?? '') : withHeader(text, recipients);
      return { path: real, text, content: withValues(before, recipients, sealed) };
    }),
  );
}

/** @throws {Stop} `refused`, when another root file reads one of the files, for a recipient that the manifest does not name */
async function requireReaders(options: ProjectFolder, files: readonly OpenSealedFile[]): Promise<void> {
  if (files.length === 0) return;
  const { folder } = options;
  const workspace = await openFolder(options);
  const placeOf = (path: string) => linkTarget(resolve(folder, path));
  const own = new Map(files.map((file) => [placeOf(file.path), file]));
  for (const { file: other, read } of siblingsOf(options)) {
    const secrets = (await read())?.whole.settings.secrets ?? [];
    for (const source of secrets) {
      if (source.is !== 'sealed') continue;
      const shared = own.get(placeOf(workspace.beside(source.at.file, source.path)));
      if (shared === undefined || source.recipients.every((one) => shared.recipients.includes(one))) continue;
      const message = `${other} reads ${shared.path} too, for recipients that ${options.file} does not name: they could not open what it seals; nothing was written`;
      const remedy = `Write one list of recipients for both, such as in a file that both include, or give ${options.file} a sealed file of its own.`;
      throw stop('refused', 'sealed-file', message, { remedy });
    }
  }
}

function requireRecipients(options: ProjectFolder, { path, recipients, file }: OpenSealedFile): void {
  if (file.values.size === 0 || isSame(file.recipients, recipients)) return;
  const message = `${path} is sealed for other recipients than the manifest names; nothing was written`;
  throw stop('refused', 'sealed-file', message, {
    remedy: `Run trueup secret recipients${fileOption(options)} with an identity that can open it.`,
  });
}

async function write(
  { folder }: ProjectFolder,
  files: readonly { readonly path: string; readonly text: string | undefined; readonly content: string }[],
): Promise<void> {
  const large = files.find(({ content }) => Buffer.byteLength(content) > fileLimit);
  if (large !== undefined) {
    const message = `${large.path} would have more than ${fileLimit} bytes, which no run reads; nothing was written`;
    throw stop('refused', 'sealed-file', message, {
      remedy: 'Keep large values elsewhere, or in another sealed file.',
    });
  }
  await writeFiles(
    folder,
    files.map(({ path, text, content }) => ({ path, content, ...(text === undefined ? {} : { replaces: text }) })),
    { remedy: changedMeanwhile },
  );
}

/** The remedy where another run wrote a sealed file meanwhile. */
export const changedMeanwhile = 'Run the command again: another one changed the file meanwhile.';

/**
 * Opens the sealed files of a manifest for a change. Where another run writes one of them meanwhile, the change is made again,
 * to what they hold by then.
 * @throws {Stop} as `openSealedProject`, and whatever `change` throws
 */
export async function changeSealed(
  options: ProjectFolder,
  change: (project: SealedProject) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change(await openSealedProject(options));
    } catch (error) {
      const isOver = error instanceof Stop && error.diagnostics.some(({ remedy }) => remedy === changedMeanwhile);
      if (!isOver || attempt === maxAttempts) throw error;
    }
  }
}

/** How often other runs may be faster. */
const maxAttempts = 100;

/** What sealing files for other recipients did. */
interface Resealed {
  readonly path: string;
  readonly names: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Seals all values for the recipients of the manifest, where they are sealed for others.
 * @throws {Stop} `refused`, when a value does not open, or another root file reads a file for other recipients; nothing was
 *   written then
 */
export async function reseal(options: ProjectFolder, project: SealedProject): Promise<readonly Resealed[]> {
  const stale = project.files.filter((file) => file.text !== undefined && !isSealedForAll(file));
  if (stale.length === 0) {
    await write(options, []); // a run that was killed behind its change may have left a draft
    return [];
  }
  await requireReaders(options, stale);
  const identities = await identitiesIn(options);
  const done = await Promise.all(
    stale.map(async ({ path, real, recipients, file, text = '' }) => {
      const values: (readonly [name: string, value: string])[] = [];
      // One after the other: of several that do not open, the first one in the file is named.
      for (const [name, sealed] of file.values) {
        const opened = await openSealed(name, sealed, identities);
        if ('problem' in opened)
          throw stop('refused', 'sealed-file', `${path} ${opened.problem}; nothing was written`, {
            remedy: opened.remedy,
          });
        options.redactor.add(opened.value);
        values.push([name, opened.value]);
      }
      const entries = await Promise.all(
        values.map(async ([name, value]) => [name, await seal(name, value, recipients)] as const),
      );
      return {
        text,
        content: withValues(withHeader(text, recipients), recipients, entries),
        path,
        real,
        names: [...file.values.keys()],
        added: recipients.filter((one) => !file.recipients.includes(one)),
        removed: file.recipients.filter((one) => !recipients.includes(one)),
      };
    }),
  );
  await write(
    options,
    done.map(({ real, text, content }) => ({ path: real, text, content })),
  );
  return done.map(({ path, names, added, removed }) => ({ path, names, added, removed }));
}

/**
 * Each value is sealed for as many recipients as the manifest names, and the first line lists them. That is all that shows
 * without an identity: a value does not name its recipients, so one that is sealed for as many others counts as well.
 * `only`: the name of the one value that is asked about.
 */
export function isSealedForAll({ recipients, file }: OpenSealedFile, only?: string): boolean {
  return (
    isSame(recipients, file.recipients) &&
    [...file.values].every(([name, value]) => (only ?? name) !== name || recipientCount(value) === recipients.length)
  );
}

async function identitiesIn({ env, redactor }: ProjectFolder): Promise<readonly string[]> {
  const read = await identitiesOf({ identity: () => readIdentity(env), addSecret: redactor.add });
  if (!('problem' in read)) return read;
  const message = `the values cannot be opened: ${read.problem}; nothing was written`;
  throw stop('refused', 'sealed-file', message, { remedy: read.remedy });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join();
}
