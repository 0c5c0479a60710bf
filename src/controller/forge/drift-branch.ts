import { digestOf } from '../records/plans.ts';

/**
 * The branch that adopts the drift of a stack: `trueup/drift/shop/infra/trueup.yaml`. Characters that git or a shell may mean
 * something by are replaced, and a digest keeps such names apart.
 */
export function driftBranch({ source, path }: { readonly source: string; readonly path: string }): string {
  const name = `${source}/${path}`;
  const plain = name
    .split('/')
    .map((part) =>
      part
        .replaceAll(/[^\w.-]/g, '-')
        .replace(/^[.-]+/, '_')
        .replace(/\.{2,}/g, '.'),
    )
    .map((part) => part.replace(/(?:\.lock)?\.*$/, '') || '_')
    .join('/');
  const digest = digestOf(name).slice(0, 8);
  return `trueup/drift/${plain === name ? name : `${plain}-${digest}`}`;
}
