// Bundles the library and the command line into dist/ of a folder with bin/ and package.json: this one, or the one named.
// Then runs commands of the command line on the emulator, and keeps what V8 compiled for them as its code cache.
import { build } from 'esbuild';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
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
  const late = /^node:(child_process|crypto|fs\/promises|http2|zlib)$/;
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

const manifest = (platform) => `trueup: 1
platform: ${platform}
project: prj_1
environments:
  production:
    env: { REGION: eu }
    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: nginx:1.27
        domains:
          shop.example.com: { serviceName: web, port: 80 }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
`;
const place = mkdtempSync(join(tmpdir(), 'trueup-bundle-'));
const platform = spawn(process.execPath, [join(folder, 'bin/trueup.js'), 'emulate', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const told = {};
  for await (const line of createInterface({ input: platform.stdout })) {
    const [name, value] = line.split('=');
    told[name] = value;
    if (name === 'TRUEUP_API_KEY') break;
  }
  writeFileSync(join(place, 'trueup.yaml'), manifest('emulator'));
  writeFileSync(join(place, 'served.yaml'), manifest(`{ url: "${told.TRUEUP_URL}" }`));
  const env = {
    ...process.env,
    TRUEUP_PINNED: 'false',
    TRUEUP_API_KEY: told.TRUEUP_API_KEY,
    TRUEUP_SECRET_DB: 'not-a-secret-1',
  };
  const words = [join(root, 'scripts/support/code-cache.cjs'), join(folder, 'bin/program.js'), place];
  execFileSync(process.execPath, words, { env, stdio: 'pipe' }); // its error shows what the commands printed
} finally {
  platform.kill('SIGTERM');
  await once(platform, 'close');
  rmSync(place, { recursive: true, force: true });
}
