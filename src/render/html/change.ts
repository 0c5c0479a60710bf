import type { Json } from '../../formats/json.ts';
import { type Sides, compareKeys, compareMembers, isComposite, rotatedWords, sidesOf } from '../change-text.ts';
import type { PlanDocument, Shown } from '../document-schemas.ts';
import type { Hunk, HunkLine } from '../hunks.ts';
import { type Markup, markup, together } from '../markup.ts';
import { type TextDifference, areAlike, compareTexts, countLines, headHunk, inAscii } from '../text-lines.ts';
import { inlineShown, isLong, valueOf } from '../value-text.ts';

/** A change of a plan as its document has it. */
export type DocumentChange = PlanDocument['actions'][number]['changes'][number];

/** A position in the files of a manifest. */
type Position = NonNullable<DocumentChange['position']>;

/** The changes of an action as a list: field by field, long texts as hunks. */
export function changeList(changes: readonly DocumentChange[]): Markup {
  return changes.length === 0 ? markup`` : markup`<dl class="fields">${changes.flatMap(renderChange)}</dl>`;
}

function renderChange(change: DocumentChange): Markup[] {
  const { sides, theirs } = sidesOf(change);
  const rows = difference(sides);
  if (theirs !== undefined)
    rows.push(...difference({ ...theirs, why: 'changed on the platform since the last apply' }));
  if (change.forcesReplacement) rows.push(row(sides, markup`<p class="risk">forces replacement</p>`));
  return rows;
}

/** Two sides of a field as rows of a list. */
export function difference(sides: Sides): Markup[] {
  const { before, after } = sides;
  const [old, fresh] = [valueOf(before), valueOf(after)];
  if (typeof old === 'string' && typeof fresh === 'string' && [old, fresh].some(isLong))
    return betweenTexts([old, fresh], sides);
  const [left, right] = [old ?? emptyLike(fresh), fresh ?? emptyLike(old)];
  const isShown = [before, after].every(({ is }) => is === 'value' || is === 'masked' || is === 'absent');
  const isRotated = Array.isArray(fresh) && rotatedWords(sides) !== undefined;
  if (isShown && isComposite(left) && isComposite(right) && !isRotated) {
    const found = compareMembers([left, right], sides, after.is === 'absent' ? before : after);
    if (found.length > 0 && !found.some(({ path }) => path === sides.path)) return found.flatMap(inline);
  }
  return inline(sides);
}

function emptyLike(value: Json | undefined): Json | undefined {
  return isComposite(value) ? (Array.isArray(value) ? [] : {}) : undefined;
}

/** Two texts: key by key where both are env files, else as hunks. */
function betweenTexts([old, written]: readonly [string, string], sides: Sides): Markup[] {
  const { text, rotated, keys, isEnv, hasMore } = compareKeys([old, written], sides);
  if (keys.length > 0) {
    const more = markup`<p class="why">comments, order or quotes differ too</p>`;
    return [...keys.flatMap(inline), ...(hasMore ? [row(sides, more)] : [])];
  }
  const found = compareTexts([old, text], rotated);
  if (found.hunks.length === 0 && found.words.length === 0) return inline(sides);
  const words = [...found.words, ...(isEnv ? ['the same values'] : [])];
  return [
    row(sides, [
      ...words.map((one) => markup`<p class="why">${one}</p>`),
      ...found.hunks.map((hunk) => renderHunk(hunk, found)),
      reason(sides),
    ]),
  ];
}

/** A row of the list: the name of the field, and what there is to say of it. */
function row({ path, position }: Pick<Sides, 'path' | 'position'>, content: Markup | readonly Markup[]): Markup {
  return markup`<div><dt><code>${path}</code>${place(position)}</dt><dd>${content}</dd></div>`;
}

/** The line of a file, such as `trueup.yaml:12`. */
export function place(position: Position | undefined): Markup {
  return position === undefined ? markup`` : markup` <span class="place">${position.file}:${position.line}</span>`;
}

function reason({ why }: Sides): Markup {
  return why === '' ? markup`` : markup`<p class="why">${why}</p>`;
}

/** Both sides one after the other; a side that is not there is left out. */
function inline(sides: Sides): Markup[] {
  const { before, after, summary } = sides;
  const [old, fresh] = [inlineShown(before), inlineShown(after)];
  const said = summary === undefined ? undefined : `(sensitive; ${summary})`;
  if (said !== undefined && (old === fresh || before.is === 'hidden'))
    return [row(sides, [markup`<p><code class="quiet">${said}</code></p>`, reason(sides)])];
  if (before.is === 'absent') return [row(sides, [side('ins', after, said), reason(sides)])];
  if (after.is === 'absent') return [row(sides, [side('del', before), reason(sides)])];
  const rotated = rotatedWords(sides);
  if (rotated !== undefined) return [row(sides, [markup`<p><code class="quiet">${rotated}</code></p>`, reason(sides)])];
  if (old === fresh) return [row(sides, [markup`<p><code class="quiet">${old}</code> (changed)</p>`, reason(sides)])];
  const [was, is] = areAlike(old, fresh) ? [inAscii(old), inAscii(fresh)] : [undefined, undefined];
  return [
    row(sides, [
      markup`<p class="sides">${value('del', before, was)} <span class="arrow" aria-hidden="true">${'→'}</span> ${value('ins', after, is)}</p>`,
      reason(sides),
    ]),
  ];
}

/** A value that comes or goes; a long text stands below the number of its lines. */
function side(tag: Tag, shown: Shown, said?: string): Markup {
  const text = valueOf(shown);
  if (!isLong(text)) return markup`<p>${value(tag, shown, shown.is === 'hidden' ? said : undefined)}</p>`;
  const lines = text.replace(/\n$/, '').split('\n');
  const isOpen = lines.length <= maxOpenLines && tag === 'ins';
  const shownLines = lines.map((line) => markup`${line}\n`);
  return markup`<details class="text"${isOpen ? openMark : undefined}><summary>${countLines(text)}${tag === 'ins' ? '' : ', removed'}</summary><pre class="${tag}"><code>${shownLines}</code></pre></details>`;
}

/** Lines of a new text that are shown at once. */
const maxOpenLines = 12;
const openMark = markup` open`;

type Tag = 'ins' | 'del';

function value(tag: Tag, shown: Shown, words = inlineShown(shown)): Markup {
  const isQuiet = shown.is === 'hidden' || shown.is === 'known after apply';
  const content = isQuiet ? markup`<code class="quiet">${words}</code>` : markup`<code>${words}</code>`;
  return tag === 'ins'
    ? markup`<ins><span class="hidden">new: </span>${content}</ins>`
    : markup`<del><span class="hidden">old: </span>${content}</del>`;
}

/** Unified lines with the numbers of both sides. */
function renderHunk(hunk: Hunk, texts: TextDifference): Markup {
  const { heading, path } = headHunk(hunk, texts);
  let [old, fresh] = [hunk.before, hunk.after];
  const lines = hunk.lines.map((line) => {
    const drawn = hunkLine(line, old, fresh);
    if (line.sign !== '+') old += 1;
    if (line.sign !== '-') fresh += 1;
    return drawn;
  });
  return markup`<figure class="hunk"><figcaption><code>${heading}${path === '' ? '' : ` ${path}`}</code></figcaption>${code(lines)}</figure>`;
}

function code(lines: readonly Markup[]): Markup {
  return markup`<div class="code">${together(lines)}</div>`;
}

const lineClasses: Readonly<Record<HunkLine['sign'], string>> = { ' ': 'same', '-': 'gone', '+': 'new', '~': 'secret' };

function hunkLine({ sign, text }: HunkLine, old: number, fresh: number): Markup {
  const numbers = [sign === '+' ? '' : String(old), sign === '-' ? '' : String(fresh)];
  return markup`<div class="${lineClasses[sign]}"><span aria-hidden="true">${numbers[0]}</span><span aria-hidden="true">${numbers[1]}</span><code>${sign}${text}</code></div>`;
}
