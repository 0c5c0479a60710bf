import { basename, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { inject } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/**
 * Bundles modules for processes of a test, beside the built program. Returns their files: `node` starts them in a
 * fraction of the time that `tsx` needs for the sources.
 */
export function bundled<const Paths extends readonly string[]>(paths: Paths): { readonly [At in keyof Paths]: string } {
  const names = paths.map((path) => basename(path, '.ts'));
  // As deep as the program, which reads package.json two folders above.
  const folder = resolve(inject('program'), '../../dist', names.join('+'));
  buildSync({
    entryPoints: paths.map((path) => join(root, path)),
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  return names.map((name) => join(folder, `${name}.js`)) as { [At in keyof Paths]: string };
}
