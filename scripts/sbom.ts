import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes the bill of materials of the package to `sbom.cdx.json` (CycloneDX); `npm pack` and `npm publish` run it. */

const root = resolve(import.meta.dirname, '..');

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly properties: readonly { readonly name: string }[];
  readonly externalReferences: readonly { readonly type: string }[];
}

/** The members of the document of `npm sbom` that are of interest here. */
interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * The packages of `package-lock.json` that Trueup runs with or has in its bundles, as CycloneDX JSON: the same text for the same lock file and
 * npm, without the time, the folder and the registry of the machine. Sends no request.
 *
 * @throws {Error} when `npm sbom` fails: package.json and the lock file contradict each other.
 */
export function billOfMaterials(): string {
  // Not --omit=dev: that also leaves out runtime packages that a development package needs too (npm 11.19).
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--offline'];
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { serialNumber: _number, ...bom } = JSON.parse(text) as Bom;
  const { timestamp: _time, ...metadata } = bom.metadata;
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { name } = manifest;
  const bundled = bundledIn(bom, manifest);
  const isThere = (item: Component) => !isDevelopment(item) || bundled.has(item['bom-ref']);
  const components = bom.components.filter(isThere).map(withoutRegistry);
  const refs = new Set([metadata.component, ...components].map((item) => item['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => refs.has(needed)) }));
  const document = {
    ...bom,
    // npm names the package after its folder.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components,
    dependencies,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

interface Manifest {
  readonly name: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The development packages that bundles hold: those that the source imports, and all that these need. Whoever needs a peer installs it. */
function bundledIn(
  { dependencies }: Pick<Bom, 'dependencies'>,
  { devDependencies, peerDependencies }: Manifest,
): ReadonlySet<string> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'));
  const imports = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|export) (?!type )[^']*'((?:@[^/']+\/)?[^./'][^/']*)/gm)].map(([, name = '']) => name),
  );
  const roots = Object.entries(devDependencies).filter(
    ([name]) => imports.includes(name) && !Object.hasOwn(peerDependencies, name),
  );
  const found = new Set(roots.map(([name, version]) => `${name}@${version}`));
  for (const ref of found)
    for (const needed of dependencies.find((item) => item.ref === ref)?.dependsOn ?? []) found.add(needed);
  return found;
}

function isDevelopment({ properties }: Component): boolean {
  return properties.some(({ name }) => name === 'cdx:npm:package:development');
}

function withoutRegistry(component: Component): Component {
  const others = component.externalReferences.filter(({ type }) => type !== 'distribution');
  return { ...component, externalReferences: others };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(join(root, 'sbom.cdx.json'), billOfMaterials());
}
