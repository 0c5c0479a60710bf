import { basename, join, resolve } from 'node:path';
import { keptIn, once } from '../api/once.ts';
import { withoutSlash } from '../api/slash.ts';
import { type Diagnostic, diagnostic, positionText } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import type { Kind } from '../kind/kind.ts';
import { treeOf, yamlLimit } from '../manifest/load.ts';
import { withQuotes } from '../manifest/quote.ts';
import { type Place, nodeAt, position } from '../manifest/tree.ts';
import type { WholeRead } from '../manifest/whole.ts';
import type { Workspace } from '../manifest/workspace.ts';
import { type Plan, isAdoption, isCreation } from '../plan/action.ts';
import { type RootClaims, claimsOf } from './claims.ts';
import type { Environment, ProjectFolder, RootPlace } from './folder.ts';
import { linkTarget } from './links.ts';
import { readingOf, workspaceOf } from './pins.ts';
import { refuseTwins, rootFiles, stageOf } from './root-files.ts';
import { sharedPlatforms } from './shared-platforms.ts';
import { readRoot, siblingsOf } from './siblings.ts';
import { environmentOf } from './stage-environment.ts';

/**
 * Reports what a root file and another one of its folder both declare, as errors, and each that cannot be read, as a warning;
 * what a variable decides is a warning too. Reads files only: no secret, no request; its own only where they are not `loaded`.
 * It compares with no file of previews, only the place of the state with files on a platform that is another as far as files
 * and environment show, and not two files that both lack `environment:`.
 *
 * @throws {Stop} `usage`, when two stages have one name for variables
 */
export async function ownedTwice(options: ProjectFolder, loaded?: WholeRead): Promise<readonly Diagnostic[]> {
  const { folder, file, kinds } = options;
  const roots = rootFiles(folder);
  const isStage = roots.find((one) => one.file === file)?.isStage === true;
  for (const other of roots) if ((isStage || other.isStage) && other.file !== file) refuseTwins([file, other.file]);
  const workspaceHere = once(() => workspaceOf(options));
  const siblings = siblingsOf(options, { roots, workspace: workspaceHere });
  const others = siblings.filter((one) => !one.isPreview && (isStage || one.isStage));
  if (others.length === 0) return [];
  const { claims } = options.platforms ?? sharedPlatforms();
  const claimsIn = (name: string, read: () => Promise<WholeRead | undefined>) =>
    keptIn(claims, join(folder, name), async () => {
      const found = await read();
      return found && { ...found, claims: claimsOf(found.whole, readingOf(options)) };
    });
  const workspace = await workspaceHere();
  const platform = await platformOf(options, workspace, options.env);
  const found: Diagnostic[] = [];
  const fileOf: FileOf = ({ path, at }) => linkTarget(resolve(folder, workspace.beside(at.file, path)));
  for (const { file: other, read } of others) {
    const elsewhere = await platformOf({ folder, file: other }, workspace, options.env);
    const own = await claimsIn(file, async () => loaded ?? (await readRoot(options, workspace)));
    if (own === undefined) return [];
    found.push(...withQuotes(secretsOf(other, own, file), own.texts, kinds));
    const isElsewhere = platform !== undefined && elsewhere !== undefined && platform !== elsewhere;
    if (isElsewhere && ![...own.claims.values()].some(({ isAnywhere }) => isAnywhere)) continue;
    const rival = await claimsIn(other, read);
    if (rival !== undefined) {
      const names = { own: file, other };
      const twice = collisions(own, rival, { ...names, isOnePlatform: platform === elsewhere });
      const collided = [...twice, ...(isElsewhere ? [] : besidePreviews(own, rival, { other, fileOf }))];
      found.push(...withQuotes(collided, own.texts, kinds));
    } else if (isStage) {
      const message = `${other} cannot be read, so nothing tells whether it declares the same as ${file}`;
      found.push(diagnostic('unread-root-file', message, { remedy: `Run trueup validate -f ${shellWord(other)}.` }));
    }
  }
  return found;
}

/**
 * The environments, and the project, as errors, that a plan begins to manage and another root file declares whose word for the
 * project is another: one has its id, and one its name. Only the platform tells that they are one. Reads files only, and none
 * where the plan begins nothing of the kind.
 */
export async function ownedByOtherWord(made: Plan, options: ProjectFolder): Promise<readonly Diagnostic[]> {
  if (!made.actions.some((one) => isHolder(one.kind) && (isAdoption(one) || isCreation(one)))) return [];
  const { folder, file, kinds } = options;
  const { projectId, projectName } = made.observed;
  const workspace = await workspaceOf(options);
  const roots = rootFiles(folder);
  const isStage = roots.find((one) => one.file === file)?.isStage === true;
  const siblings = siblingsOf(options, { roots }).filter((one) => !one.isPreview && (isStage || one.isStage));
  const own = siblings.length === 0 ? undefined : await readRoot(options, workspace);
  if (own === undefined) return [];
  const { project } = own.whole.settings;
  const platform = await platformOf(options, workspace, options.env);
  const found: Diagnostic[] = [];
  for (const { file: other, read } of siblings) {
    const rival = await read();
    const word = rival?.whole.settings.project;
    if (rival === undefined || word === undefined || word === project || (word !== projectId && word !== projectName))
      continue;
    const elsewhere = await platformOf({ folder, file: other }, workspace, options.env);
    if (platform !== undefined && elsewhere !== undefined && platform !== elsewhere) continue;
    const claimed = (root: WholeRead, named: string) =>
      claimsOf({ ...root.whole, settings: { ...root.whole.settings, project: named } }, readingOf(options));
    const before = claimed(rival, word);
    const claims = new Map([...claimed(rival, project)].filter(([key]) => !before.has(key)));
    const rivals = { ...rival, claims };
    const names = { own: file, other, isOnePlatform: platform === elsewhere };
    found.push(...withQuotes(collisions({ ...own, claims: claimed(own, project) }, rivals, names), own.texts, kinds));
  }
  return found;
}

function isHolder({ isTop, identity }: Kind): boolean {
  return isTop === true || identity.addressedByKey === true;
}

function collisions(
  own: RootClaims,
  rival: RootClaims,
  { isOnePlatform, ...names }: { readonly own: string; readonly other: string; readonly isOnePlatform: boolean },
): readonly Diagnostic[] {
  return [...own.claims].flatMap(
    ([key, { what, at, remedyOfShared, isVariable, isHarmless, isAnywhere, ...claim }]) => {
      const other = rival.claims.get(key);
      if (other === undefined || !(isOnePlatform || isAnywhere === true)) return [];
      const isSure = !isVariable && !other.isVariable;
      const twice = `${what} is also declared by ${names.other}, at ${positionText(position(other.at))}`;
      const message = isSure ? twice : `${twice}, unless a run gives their variables other values`;
      const isShared = at.file === other.at.file && at.offset === other.at.offset && !isVariable;
      const remedy = (isShared ? remedyOfShared : undefined) ?? claim.remedy;
      const about = { remedy: remedy(names.own, names.other), position: position(at) };
      return [diagnostic(isSure && !isHarmless ? 'owned-twice' : 'overlap', message, about)];
    },
  );
}

/** The platform of a root file, as far as its text shows it: files on two platforms have nothing in common. */
export async function platformOf(root: RootPlace, workspace: Workspace, env: Environment): Promise<string | undefined> {
  const { file } = root;
  const found = await workspace.read(file, yamlLimit);
  const tree = 'text' in found ? treeOf(file, found, []) : undefined;
  const named = nodeAt(tree, ['platform', 'url']) ?? nodeAt(tree, ['platform']);
  const text = named?.is === 'scalar' ? String(named.value) : (environmentOf(root, env)['TRUEUP_URL'] ?? '');
  if (text === 'emulator') return text;
  return URL.canParse(text) ? withoutSlash(new URL(text).href) : undefined;
}

/** Reports files of secrets that bear the name of another stage. */
function secretsOf(other: string, { whole: { settings } }: RootClaims, file: string): readonly Diagnostic[] {
  // A preview must not read them at all.
  if (settings.preview !== undefined) return [];
  const stage = stageOf(other);
  return settings.secrets.flatMap((source) => {
    const path = 'path' in source ? source.path : '';
    const [name] = basename(path).split('.');
    if (name !== stage || name === stageOf(file)) return [];
    const message = `${file} reads ${path}, which bears the name of ${other}: the secrets of one stage are those of the other`;
    const remedy = `Give ${file} a file of its own, or write what both need into a file with a name of its own.`;
    return [diagnostic('overlap', message, { remedy, position: position(source.at) })];
  });
}

/** The file that a source of secrets means, however its path is written. Absolute. */
type FileOf = (source: { readonly path: string; readonly at: Place }) => string;

/** Reports what a family of previews has from a stage: its secrets, or its names of environments. */
function besidePreviews(
  { whole: { settings } }: RootClaims,
  { whole: { settings: rival } }: RootClaims,
  { other, fileOf }: { readonly other: string; readonly fileOf: FileOf },
): readonly Diagnostic[] {
  const { preview, environment, secrets } = settings;
  if (preview === undefined) return [];
  const files = new Set(rival.secrets.flatMap((source) => ('path' in source ? fileOf(source) : [])));
  const shared = secrets.flatMap((source) => {
    if (!('path' in source) || !files.has(fileOf(source))) return [];
    const message = `${source.path} has the secrets of ${other}, which a preview must not read`;
    const remedy = 'Write a file with secrets for previews, and name it here.';
    return [diagnostic('not-in-previews', message, { remedy, position: position(source.at) })];
  });
  const stem = environment?.name.slice(0, -preview.id.length);
  const name = rival.environment?.name;
  if (environment === undefined || stem === undefined || name?.startsWith(stem) !== true) return shared;
  const message = `the environment ${name} of ${other} is called like one of these previews`;
  const remedy = `Choose another name behind environment: in one of the two files; those of previews begin with ${stem}.`;
  return [...shared, diagnostic('not-in-previews', message, { remedy, position: position(environment.at) })];
}
