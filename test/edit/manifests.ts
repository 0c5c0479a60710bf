import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { head } from '../support/world.ts';

/**
 * Manifests written by hand, as people write them, in `manifests.txt`. `⟦old⇒new⟧` marks what drifts; behind a title stand the
 * forms of the files, and `@@ name` begins another one.
 */

const written = readFileSync(join(import.meta.dirname, 'manifests.txt'), 'utf8');
export const manifests = written
  .split(/^### /m)
  .slice(1)
  .map((part) => {
    const [title = '', options = ''] = (part.split('\n')[0] ?? '').split(' | ');
    return { title, options: options.split(' '), text: part.slice(part.indexOf('\n') + 1) };
  });

/** The files of a manifest: those before the drift, or those with what drifted. */
export function filesOf({ text, options }: (typeof manifests)[number], side: 'old' | 'new'): Record<string, string> {
  const [root = '', ...others] = text.split(/^@@ /m);
  const all = [
    ['trueup.yaml', root.includes('trueup: 1') ? root : head + root] as const,
    ...others.map((one) => [one.split('\n')[0] ?? '', one.slice(one.indexOf('\n') + 1)] as const),
  ];
  const finished = all.map(([name, content]) => {
    let made = content.replaceAll(/⟦([^⇒]*)⇒([^⟧]*)⟧/g, (_, old: string, fresh: string) =>
      side === 'old' ? old : fresh,
    );
    if (options.includes('open')) made = made.replace(/\n$/, '');
    if (options.includes('crlf')) made = made.replaceAll('\n', '\r\n');
    return [name, options.includes('bom') ? `\uFEFF${made}` : made] as const;
  });
  return Object.fromEntries(finished);
}
