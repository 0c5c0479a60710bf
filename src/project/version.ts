import { existsSync, readFileSync } from 'node:fs';

/** The version, which is written into each bundle: bundles lie at several depths below the package. */
declare const bundledVersion: string | undefined;

/** Pages of `docs/` by their paths, which scripts/single-file.mjs writes into its bundles. */
declare const bundledPages: Readonly<Record<string, string>> | undefined;

/** The version of this program, from its package. */
export function readVersion(): string {
  if (typeof bundledVersion === 'string') return bundledVersion;
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The text of a page by its path in `docs/`; undefined where the package has none. Only for the bundles in `dist/cli` and in the single file. */
export function readPage(path: string): string | undefined {
  if (typeof bundledPages === 'object') return bundledPages[path];
  const place = new URL(`../../docs/${path}`, import.meta.url);
  return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
}
