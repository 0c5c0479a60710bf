// How esbuild makes the bundles of the program: those of dist/, and those of the single file.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export const common = {
  absWorkingDir: root,
  bundle: true,
  preserveSymlinks: true, // a build has the packages through one: their places are named from here
  platform: 'node',
  target: 'node20',
  outbase: 'src',
  logLevel: 'warning',
  define: { bundledVersion: JSON.stringify(version) },
  // The same modules as Node loads, without a look at the environment for each token of a text.
  alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') },
  minifySyntax: true, // drops what only the source needs, such as its package.json
};

/** Modules that share none with the program, which loads them when it needs them: each is a bundle of its own. */
export const apart = {
  agent: 'src/api/agent.ts',
  'age-encryption': 'age-encryption',
  aws4fetch: 'aws4fetch',
  pg: 'pg',
};

/** Settings for CommonJS: the program as `main`, and a bundle of each of `parts`, which the others load as `./NAME.cjs`. */
export function programBundles(parts) {
  return {
    ...common,
    plugins: [
      { name: 'late', setup: loadLate },
      { name: 'apart', setup: (build) => loadApart(build, parts) },
    ],
    entryPoints: Object.entries({ main: 'src/cli/main.ts', ...parts }).map(([name, path]) => ({
      in: path,
      out: `cli/${name}`,
    })),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    charset: 'ascii',
    legalComments: 'none',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
    banner: { js: "'use strict'; const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  };
}

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

function loadApart({ onResolve }, parts) {
  onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
    if (kind !== 'dynamic-import') return undefined;
    const wanted = path.startsWith('.') ? relative(root, join(resolveDir, path)) : path;
    const [name] = Object.entries(parts).find(([, from]) => from === wanted) ?? [];
    if (name !== undefined) return { path: `./${name}.cjs`, external: true };
    // In dist/ the controller shares its modules with the library, and the command line loads both when it runs one.
    return wanted === 'src/controller/main.ts' ? { path: '../controller/main.js', external: true } : undefined;
  });
}
