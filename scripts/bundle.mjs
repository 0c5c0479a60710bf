// Bundles the library and the command line into dist/ of a folder with bin/ and package.json: this one, or the one named.
import { build } from 'esbuild';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? root);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const common = {
  absWorkingDir: root,
  bundle: true,
  preserveSymlinks: true, // a build has the packages through one: their places are named from here
  platform: 'node',
  target: 'node20',
  outbase: 'src',
  outdir: join(folder, 'dist'),
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  define: { bundledVersion: JSON.stringify(version) },
  // The same modules as Node loads, without a look at the environment for each token of a text.
  alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
  external: ['pg-boss'], // who runs the controller installs it
  minifySyntax: true, // drops what only the source needs, such as its package.json
};

/**
 * Loads modules of Node when they are used, and not with the modules that may use them. Without HTTP/2, which no connection
 * of Trueup has, undici needs no module for it.
 */
function loadLate({ onResolve, onLoad }) {
  const late = /^(?:node:)?(child_process|crypto|fs\/promises|http2|zlib)$/;
  onResolve({ filter: late }, ({ path, namespace }) =>
    namespace === 'late' ? { path, external: true } : { path, namespace: 'late' },
  );
  onLoad({ filter: /./, namespace: 'late' }, ({ path }) => {
    if (path === 'node:http2') return { contents: 'exports.constants = {};' };
    const names = Object.keys(process.getBuiltinModule(path));
    const members = names.map((name) => `get ${name}() { return require('${path}').${name}; }`);
    return { contents: `module.exports = { ${members.join(', ')} };` };
  });
}

/** Modules that share none with the program, which loads them when it needs them: each is a bundle of its own. */
const apart = { agent: 'src/api/agent.ts', 'age-encryption': 'age-encryption', aws4fetch: 'aws4fetch', pg: 'pg' };

function loadApart({ onResolve }) {
  onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
    const wanted = path.startsWith('.') ? relative(root, join(resolveDir, path)) : path;
    // The controller shares its modules with the library, and the command line loads both when it runs one.
    if (wanted === 'src/controller/main.ts' && kind === 'dynamic-import')
      return { path: '../controller/main.js', external: true };
    const [name] = Object.entries(apart).find(([, from]) => from === wanted) ?? [];
    return kind === 'dynamic-import' && name !== undefined ? { path: `./${name}.cjs`, external: true } : undefined;
  });
}

rmSync(join(folder, 'dist/cli'), { recursive: true, force: true });
await build({
  ...common,
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
await build({
  ...common,
  plugins: [
    { name: 'late', setup: loadLate },
    { name: 'apart', setup: loadApart },
  ],
  entryPoints: Object.entries({ main: 'src/cli/main.ts', ...apart }).map(([name, path]) => ({
    in: path,
    out: `cli/${name}`,
  })),
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  charset: 'ascii',
  legalComments: 'none',
  minifyWhitespace: true,
  minifyIdentifiers: true,
  supported: { 'dynamic-import': false },
  define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
  banner: { js: "'use strict'; const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
});

// esbuild writes regular expressions and tagged templates as they are.
for (const name of ['main', 'agent']) {
  const [foreign] = readFileSync(join(folder, `dist/cli/${name}.cjs`), 'utf8').match(/.{0,80}[^\0-\x7F].{0,80}/) ?? [];
  if (foreign !== undefined) throw new Error(`${name} is not ASCII; write it as a string, or with \\u: ${foreign}`);
}
