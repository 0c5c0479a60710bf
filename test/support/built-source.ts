import { transform } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The source as JavaScript that Node loads by itself. Vite transforms and evaluates each file for each project of a run, and
 * reads each import through a getter; Node does neither.
 */

const root = resolve(import.meta.dirname, '../..');
// Below node_modules, so that the source finds its dependencies and Vite leaves it to Node.
const built = join(root, `node_modules/.trueup-tests/source-${process.pid}`);

/** A text of a file of the source, and what stands there instead. */
export interface Change {
  readonly file: string;
  readonly line: string;
  readonly instead: string;
}

/** Writes the source as JavaScript below a folder, with one place changed or as it is. Files name the places of the source. */
export async function buildSource(folder: string, change?: Change): Promise<void> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await Promise.all(
    files.map(async (path) => {
      const to = join(folder, 'src', path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, await textOf(path));
    }),
  );

  async function textOf(path: string): Promise<string> {
    const file = `src/${path}`;
    const text = readFileSync(join(root, file), 'utf8');
    const isChanged = change?.file === file;
    if (!isChanged) return (texts[file] ??= await javaScriptOf(file, text));
    return javaScriptOf(
      file,
      text.replace(change.line, () => change.instead),
    );
  }
}

/** What files of the source became. */
const texts: Record<string, string> = {};

async function javaScriptOf(file: string, text: string): Promise<string> {
  const { code } = await transform(text, {
    loader: 'ts',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: join(root, file),
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, file)).href) },
  });
  return code.replaceAll(/(\b(?:from|import) ?\(?"\.[^"\n]*)\.ts"/g, '$1.js"');
}

/** Resolves the imports of the source in a test to the source built below a folder. */
export function sourceIn(folder: string) {
  const alias = { find: /^(?:\.\.\/)+src\/(.*)\.ts$/, replacement: `${join(folder, 'src')}/$1.js` };
  return { resolve: { alias: [alias] } };
}

/** What a project of the tests needs to load the built source. Modules of the source cannot be replaced there. */
export const builtSource = sourceIn(built);

/** Builds the source for a run of the tests. Each project of the run asks for it, and the first one builds it. */
export default async function setup(): Promise<() => void> {
  building ??= buildSource(built);
  await building;
  return () => rmSync(built, { recursive: true, force: true });
}

let building: Promise<void> | undefined;
