import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** The code samples that users read: in the README, on the pages of docs, and in the doc comments of src. */

/** The root of the project. */
export const root = resolve(import.meta.dirname, '../..');

/** One block of TypeScript. */
export interface Sample {
  /** The file and the line that it begins at. */
  readonly at: string;
  readonly code: string;
}

/** Every sample there is. */
export function findSamples(): readonly Sample[] {
  const pages = ['README.md', 'ARCHITECTURE.md', ...filesIn('docs', '.md')];
  return [...pages, ...filesIn('src', '.ts')].flatMap((path) =>
    samplesIn(path, readFileSync(join(root, path), 'utf8')),
  );
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => relative(root, join(root, folder, path)))
    .toSorted();
}

/** The samples in a text; in a doc comment each line begins with an asterisk. */
export function samplesIn(path: string, text: string): Sample[] {
  const margin = path.endsWith('.ts') ? / ?\* ?/ : /(?:)/;
  const block = new RegExp(
    `^(${margin.source})\`\`\`(?:ts|typescript|js|javascript)\\n([\\s\\S]*?)^${margin.source}\`\`\`$`,
    'gm',
  );
  return [...text.matchAll(block)].map((match) => ({
    at: `${path}:${text.slice(0, match.index).split('\n').length}`,
    code: (match[2] ?? '').replaceAll(new RegExp(`^${margin.source}`, 'gm'), ''),
  }));
}
