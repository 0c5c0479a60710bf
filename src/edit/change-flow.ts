import type { YAMLMap, YAMLSeq } from 'yaml';
import { type Work, refused, unusual } from './splices.ts';
import { breakAt, itemEnd, itemStart, lineStart, tokensOf } from './tokens.ts';

/** Changes of the entries of braces or brackets, which are numbered as before the changes. */
interface FlowChange {
  /** Texts on one line, each before the entry of a number, else behind the last one. */
  readonly coming?: readonly { readonly index: number; readonly written: string }[];
  /** The numbers of entries that go. */
  readonly leaving?: ReadonlySet<number>;
}

/** A bracket, or an entry between them, with all that belongs to it. */
interface Part {
  /** Blanks, line breaks and whole lines of comments before it. */
  lead: string;
  readonly from: number;
  readonly to: number;
  /** The text of an entry that comes. */
  readonly written?: string;
  readonly comma: string;
  /** The comment behind it at the end of its line. */
  comment: string;
}

/**
 * Adds and removes entries between braces or brackets that hold one. The comment at the end of a line goes with the last
 * entry that ends there; comments on lines of their own stay.
 *
 * @throws {Stop} `refused`, when a comma stands on another line than the entry before it
 */
export function changeFlow(node: YAMLMap | YAMLSeq, change: FlowChange, work: Work): void {
  const { text, splices } = work;
  const parts = partsOf(node, work);
  const lastComma = parts.at(-2)?.comma ?? '';
  const kept = changed(parts, change, text);
  const [open, close] = kept;
  if (kept.length === 2 && close !== undefined && `${open?.comment}${close.lead}`.trim() === '') close.lead = '';
  let from = open?.from ?? 0;
  let put = '';
  for (const [at, { written, comma, comment, ...part }] of kept.entries()) {
    put += part.lead + (written ?? '');
    if (written === undefined) {
      if (put !== text.slice(from, part.from)) splices.push({ from, to: part.from, text: put });
      from = part.to;
      put = '';
    }
    const isLast = at >= kept.length - 2;
    if (at > 0) put += isLast ? lastComma && (comma || lastComma) : comma || ',';
    put += comment;
  }
}

/** The parts that stay, with those that come. */
function changed(parts: readonly Part[], { coming = [], leaving }: FlowChange, text: string): readonly Part[] {
  const line = lineOf(parts, text);
  const kept: Part[] = [];
  let stays: Part | undefined;
  for (const [at, part] of parts.entries()) {
    for (const { written } of coming.filter(({ index }) => index + 1 === at)) {
      const isFirst = kept.length === 1;
      const lead = part.lead.includes('\n') ? line : isFirst ? part.lead : ' ';
      kept.push({ ...part, lead, written, comma: '', comment: '' });
      if (isFirst && lead !== line) part.lead = ' ';
    }
    const next = parts[at + 1];
    if (next === undefined || leaving?.has(at - 1) !== true) {
      kept.push(part);
      if (at > 0) stays = part;
      continue;
    }
    if (next.lead.includes('\n')) next.lead = part.lead.replace(/(?:\r?\n)?[ \t]*$/, '') + next.lead;
    else if (part.lead.includes('\n') || kept.length === 1) next.lead = part.lead;
    // On a line on which another entry stays, the comment stays too.
    const last = kept.at(-1);
    const isShared = stays !== undefined && !text.slice(stays.to, part.to).includes('\n');
    if (last !== undefined && isShared) last.comment = part.comment;
  }
  return kept;
}

/** The opening bracket, the entries, and the closing bracket. */
function partsOf(node: YAMLMap | YAMLSeq, work: Work): Part[] {
  const items = tokensOf(node);
  const [open, close] = [(node.range?.[0] ?? 0) + 1, (node.range?.[1] ?? 0) - 1];
  if (items === undefined) throw unusual(node, work);
  const places = [[open, open], ...items.map((item) => [itemStart(item), itemEnd(item)]), [close, close]];
  let lead = '';
  return places.map(([from = 0, to = 0], at) => {
    const gap = work.text.slice(to, places[at + 1]?.[0] ?? to);
    const [, comma = '', comment = '', rest = ''] = /^([ \t]*,)?([ \t]*#[^\r\n]*)?(.*)$/s.exec(gap) ?? [];
    if (rest.replaceAll(/#.*/g, '').includes(',')) throw refused(work, 'a comma stands at the start of a line', from);
    const part = { lead, from, to, comma, comment };
    lead = rest;
    return part;
  });
}

/** A line break, and the blanks before entries on lines of their own. */
function lineOf(parts: readonly Part[], text: string): string {
  const own = parts.slice(1, -1).find(({ lead }) => lead.includes('\n'));
  const start = parts[1]?.from ?? 0;
  return /\r?\n[ \t]*$/.exec(own?.lead ?? '')?.[0] ?? breakAt(text, start) + ' '.repeat(start - lineStart(text, start));
}
