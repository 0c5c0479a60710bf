import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { type Kind, root } from '../kind/kind.ts';
import { observedValue } from '../kind/row-values.ts';
import { findBlocks } from '../manifest/blocks.ts';
import { withQuotes } from '../manifest/quote.ts';
import { type Node, type Place, position } from '../manifest/tree.ts';
import { isOfProject } from '../observe/ownership.ts';
import { type Action, type Plan, isDeletion } from '../plan/action.ts';
import type { WholeRead } from '../manifest/whole.ts';
import type { ProjectFolder } from './folder.ts';
import { writtenOf } from '../manifest/written-fields.ts';
import { fillerOf } from './claims.ts';
import { platformOf } from './owned-twice.ts';
import { readingOf, workspaceOf } from './pins.ts';
import { siblingsOf } from './siblings.ts';

/**
 * The deletions of a plan, as errors, that take a project or an object of the organization from another root file of the
 * folder, which names it. Reads files only, and none where the plan deletes nothing of the kind.
 */
export async function namedElsewhere(made: Plan, options: ProjectFolder): Promise<readonly Diagnostic[]> {
  const { folder, file, kinds } = options;
  const going = made.actions.filter((one) => isDeletion(one) && isOutside(one.kind));
  if (going.length === 0) return [];
  const workspace = await workspaceOf(options);
  const platform = await platformOf(options, workspace, options.env);
  const found: Diagnostic[] = [];
  for (const { file: other, isStage, isPreview, read } of siblingsOf(options)) {
    const elsewhere = await platformOf({ folder, file: other }, workspace, options.env);
    if (platform !== undefined && elsewhere !== undefined && platform !== elsewhere) continue;
    const rival = await read();
    if (rival === undefined) {
      const message = `${other} cannot be read, so nothing tells whether it names what ${file} deletes`;
      const remedy = `Run trueup validate -f ${shellWord(other)}.`;
      if (isStage && made.destroys) found.push(diagnostic('unread-root-file', message, { remedy }));
      continue;
    }
    const refused = going.flatMap((one) => {
      const row = made.observed.objects.get(one.address)?.row ?? {};
      const name = observedValue(one.kind, one.kind.identity.keyField ?? '', row);
      const names = new Set([name, one.id].filter((text) => typeof text === 'string'));
      const [first] = namingsIn(rival, one.kind, { names, options });
      return first === undefined ? [] : [refusal(one, { ...first, other, isPreview })];
    });
    found.push(...withQuotes(refused, rival.texts, kinds));
  }
  return found;
}

/** Whether the objects of a kind are no part of a project. */
function isOutside(kind: Kind): boolean {
  return kind.isTop === true || (kind.parents[root] !== undefined && !isOfProject(kind));
}

/** A value that names an object. */
interface Naming {
  readonly path: string;
  readonly text: string;
  readonly at: Place;
}

/** The values of a root file that name an object of a kind. */
function namingsIn(
  { whole }: WholeRead,
  target: Kind,
  { names, options }: { readonly names: ReadonlySet<string>; readonly options: ProjectFolder },
): readonly Naming[] {
  const { settings, tree, kinds } = whole;
  if (target.isTop === true) {
    const { project: text, projectAt: at } = settings;
    return names.has(text) && at !== undefined ? [{ path: 'project', text, at }] : [];
  }
  const filled = fillerOf(whole, readingOf(options));
  const { blocks } = findBlocks(tree, kinds, []);
  return blocks.flatMap((block) =>
    Object.entries(block.kind.fields).flatMap(([name, { refersTo }]) => {
      if (refersTo !== target.kind) return [];
      const written = writtenOf(block, name).flatMap(({ path, node }) => scalarsIn(node, path));
      return written.flatMap(({ path, value, at }) => {
        const { text } = filled(value) ?? {};
        return text !== undefined && names.has(text) ? [{ path: `${path} of ${block.address}`, text, at }] : [];
      });
    }),
  );
}

function scalarsIn(node: Node, path: string): { path: string; value: unknown; at: Place }[] {
  if (node.is === 'list') return node.items.flatMap((item) => scalarsIn(item, path));
  return node.is === 'scalar' ? [{ path, value: node.value, at: node.at }] : [];
}

function refusal(
  { address, kind }: Action,
  { path, text, at, other, isPreview }: Naming & { readonly other: string; readonly isPreview: boolean },
): Diagnostic {
  const message = `${address} is not deleted: ${other} names it, with ${path} (${text})`;
  const file = shellWord(other);
  const destroys = isPreview
    ? `Run trueup preview prune -f ${file} --open none and remove that file first.`
    : `Run trueup destroy -f ${file} and remove that file first.`;
  const each = isPreview ? ' --preview ID for each preview' : '';
  const remedy =
    kind.isTop === true
      ? destroys
      : `Write something else than ${text} there and run trueup apply -f ${file}${each}, or put ${address} back.`;
  return diagnostic('cannot-change', message, { address, remedy, position: position(at) });
}
