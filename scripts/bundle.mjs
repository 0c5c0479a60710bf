// Bundles the library and the command line into dist/ of a folder with bin/ and package.json: this one, or the one named.
import { build } from 'esbuild';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { apart, common, programBundles, root } from './support/program-bundles.mjs';

const folder = resolve(process.argv[2] ?? root);

/** What dist/ has beside the bundles of the single file: source maps, and without the packages that users install. */
const inDist = {
  outdir: join(folder, 'dist'),
  sourcemap: true,
  sourcesContent: false,
  external: ['pg-boss'], // who runs the controller installs it
};

rmSync(join(folder, 'dist/cli'), { recursive: true, force: true });
await build({
  ...common,
  ...inDist,
  entryPoints: [
    'src/index.ts',
    ...readdirSync(join(root, 'src/exports')).map((name) => `src/exports/${name}`),
    'src/ci/main.ts',
    'src/controller/main.ts',
  ],
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
// Everything is ASCII: bin/program.js reads a byte for each character. Source maps name the places of stacks, for TRUEUP_DEBUG=1.
await build({ ...programBundles(apart), ...inDist, minifyIdentifiers: true });

// esbuild writes regular expressions and tagged templates as they are.
for (const name of ['main', 'agent']) {
  const [foreign] = readFileSync(join(folder, `dist/cli/${name}.cjs`), 'utf8').match(/.{0,80}[^\0-\x7F].{0,80}/) ?? [];
  if (foreign !== undefined) throw new Error(`${name} is not ASCII; write it as a string, or with \\u: ${foreign}`);
}
