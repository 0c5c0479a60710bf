import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
 * The packages of `package-lock.json` that Trueup runs with, as CycloneDX JSON: the same text for the same lock file and
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
  const components = bom.components.filter((item) => !isDevelopment(item)).map(withoutRegistry);
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly name: string };
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
