import { printable, printed } from './printable.ts';
import type { ReviewSite } from './report-links.ts';

/**
 * Markdown as GitHub, GitLab and Forgejo read it. Foreign text stands in code only: there it is no link, image, mention,
 * reference or HTML.
 */

/** The number of bytes that a text takes when it is printed. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(printed(text));
}

/** A foreign text as code within a line. */
export function code(text: string): string {
  const clean = text === '' ? ' ' : printable(text);
  const fence = '`'.repeat(longestRun(clean) + 1);
  // A blank that code begins and ends with is taken away, once, unless there are only blanks.
  const needsBlanks = /^[ `]|[ `]$/.test(clean) && !/^ +$/.test(clean);
  return needsBlanks ? `${fence} ${clean} ${fence}` : `${fence}${clean}${fence}`;
}

/** A foreign text as code in HTML, where Markdown means nothing. */
export function htmlCode(text: string): string {
  return `<code>${printable(text).replaceAll(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}

/** Lines as a block of code. No line ends the block, and none begins with a command: callers put a sign or a blank before it. */
export function codeBlock(lines: readonly string[], language: 'diff' | 'text'): string {
  const fence = '`'.repeat(Math.max(3, ...lines.map((line) => longestRun(line) + 1)));
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

/** A link, its text as code. @param url has been made by `lineUrl` */
export function link(text: string, url: string): string {
  return `[${code(text)}](${url})`;
}

/** A part that can be folded. @param summary Markdown that HTML can hold, such as `htmlCode` */
export function foldedPart(summary: string, content: string, isOpen: boolean): string {
  return `<details${isOpen ? ' open' : ''}>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** The hidden first line of a comment, by which a script finds the comment that it updates. */
export function marker(command: 'plan' | 'drift' | 'apply' | 'preview', { key }: Pick<ReviewSite, 'key'>): string {
  return `<!-- trueup:${command}:${key} -->`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
