import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { billOfMaterials } from '../../scripts/sbom.ts';
import { isFull } from '../support/whole.ts';

/** What users install, and what builds it. */

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Package {
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}
const manifest = JSON.parse(read('package.json')) as Package;

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
}
const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> };
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');

describe('S26: the package', () => {
  test('is published with provenance, for everybody', () => {
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    expect(manifest.private).toBeUndefined();
  });

  test('runs nothing when it is installed', () => {
    // npm also warns about a prepare script of a tarball. postprepare builds in a clone.
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(Object.keys(manifest.scripts).filter((name) => hooks.includes(name))).toEqual([]);
  });

  test('names exact versions of what it runs with', () => {
    const loose = Object.entries(manifest.dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(loose).toEqual([]);
  });

  test('and the lock file pins each package by its content, and names no registry', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('runs with packages under permissive licences only', () => {
    const known = ['MIT', 'ISC', 'BSD-3-Clause', '0BSD', 'Apache-2.0'];
    const others = locked.filter(([, { dev, license }]) => dev !== true && !known.includes(license ?? ''));
    expect(others).toEqual([]);
  });
});

test('what Trueup runs with takes the oldest Node that it names; npm only warns', () => {
  const [, oldest = ''] = /^\^(\d+\.\d+)\.0 \|\| >=\d+\.\d+\.0$/.exec(manifest.engines.node) ?? [];
  expect(oldest).toBe('20.19');
  const newer = locked.filter(([, { dev, engines }]) => {
    const [, asked = ''] = /^>= ?(\d+(?:\.\d+)?)/.exec(engines?.node ?? '>=0') ?? [];
    return dev !== true && !(asked !== '' && asked.localeCompare(oldest, 'en', { numeric: true }) <= 0);
  });
  expect(newer).toEqual([]);
});

describe.runIf(isFull)('S26: the tarball', () => {
  let packed: readonly string[] = [];
  beforeAll(() => {
    const args = ['pack', '--json', '--dry-run', '--ignore-scripts', '--offline'];
    const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [about] = JSON.parse(text) as readonly { readonly files: readonly { readonly path: string }[] }[];
    packed = about?.files.map(({ path }) => path) ?? [];
  });

  test('holds the program, the licence, the pages and the examples, and nothing else', () => {
    const top = new Set(packed.map((path) => path.split('/')[0]));
    for (const built of ['dist', 'sbom.cdx.json']) top.delete(built);
    const pages = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'];
    expect(top).toEqual(
      new Set([...pages, 'package.json', 'bin', 'deploy', 'docs', 'examples', 'pipelines', 'schema']),
    );
  });

  test('holds no file of a run, no credentials and no tests', () => {
    const unwanted = /(^|\/)(\.[^/]+|node_modules|test|coverage)(\/|$)|\.(pem|key|log|tgz)$|\.test\./;
    expect(packed.filter((path) => unwanted.test(path) && path !== 'examples/.gitattributes')).toEqual([]);
  });

  test('holds what its pages link to', () => {
    const pages = packed.filter((path) => path.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(10);
    const missing = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?![a-z]+:)([^)#\s]+)[^)]*\)/g)].flatMap(([, target = '']) => {
        const path = posix.normalize(posix.join(dirname(page), target)).replace(/\/$/, '');
        // The page of the endpoints names the test of each.
        if (page === 'docs/endpoints.md' && path.startsWith('test/')) return [];
        return packed.some((file) => file === path || file.startsWith(`${path}/`)) ? [] : [`${page}: ${target}`];
      }),
    );
    expect(missing).toEqual([]);
  });
});

test('every file that names a package or an image of Trueup names this version', () => {
  const places = ['Dockerfile', 'README.md', 'action.yml', 'deploy', 'docs', 'examples', 'pipelines'];
  const files = execFileSync('git', ['ls-files', '-z', ...places], { cwd: root, encoding: 'utf8' }).split('\0');
  const named = files.filter(Boolean).flatMap((path) =>
    [...read(path).matchAll(/\btrueup(?:-[a-z]+)?[:-](\d+\.\d+\.\d+)\b/g)].map(([text, version]) => ({
      path,
      text,
      version,
    })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ version }) => version !== manifest.version)).toEqual([]);
});

describe('S26: the bill of materials', () => {
  const text = billOfMaterials();
  const { bomFormat, metadata, components, dependencies } = JSON.parse(text) as {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly name: string; readonly version: string; readonly hashes: unknown }[];
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  };

  const listed = components.map(({ name, version }) => `${name}@${version}`);

  test('lists each runtime package with its version and its hash, and what a bundle holds', () => {
    expect(bomFormat).toBe('CycloneDX');
    const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');
    const runtime = locked.filter(([, { dev }]) => dev !== true);
    const names = runtime.map(([path, { version }]) => `${nameOf(path)}@${version}`);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    expect(components.filter(({ hashes }) => !Array.isArray(hashes) || hashes.length === 0)).toEqual([]);
    const dist = join(dirname(inject('program')), '../dist');
    const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.map'));
    // A map names its sources from its own folder.
    const sources = maps.flatMap((path) => {
      const map = JSON.parse(readFileSync(join(dist, path), 'utf8')) as { readonly sources: readonly string[] };
      return map.sources.map((source) => join(dist, dirname(path), source));
    });
    const bundled = new Set(
      sources.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^./][^/]*)/.exec(path)?.[1] ?? []),
    );
    expect(bundled.size).toBeGreaterThan(10);
    expect([...bundled].filter((name) => !components.some((one) => one.name === name))).toEqual([]);
    expect(listed.filter((name) => /^(vitest|esbuild|typescript|oxlint|pg-boss)@/.test(name))).toEqual([]);
    const [own] = dependencies;
    const direct = Object.entries(manifest.dependencies).map(([name, version]) => `${name}@${version}`);
    expect(own?.ref).toBe(`trueup@${manifest.version}`);
    expect(own?.dependsOn).toEqual(expect.arrayContaining(direct));
  });

  test('is the same each time, and says nothing of the machine', () => {
    expect(billOfMaterials()).toBe(text);
    expect(metadata.component.name).toBe('trueup');
    expect(text).not.toContain(root);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d|urn:uuid|registry|"distribution"|file:|node_modules\//);
  });

  test('is made for every tarball', () => {
    expect(manifest.scripts['prepack']).toBe('npm run build && tsx scripts/sbom.ts');
  });
});

/** Uses of actions in a text that are not pinned to a commit, or to the digest of an image. */
function unpinned(text: string): string[] {
  return [...text.matchAll(/(?:^|[\s{,-])["']?uses["']?:\s+["']?([^\s"',}]+)/gm)].flatMap(([, used = '']) =>
    /^\.\.?\/|@[0-9a-f]{40}$|^docker:\/\/\S+@sha256:[0-9a-f]{64}$/.test(used) ? [] : [used],
  );
}

describe('S26: actions of pipelines', () => {
  const commit = '0123456789abcdef0123456789abcdef01234567';

  test('in the repository are pinned to a commit of 40 digits', () => {
    const skipped = ['node_modules', '.git', 'dist', 'coverage', 'reports', '.stryker-tmp'];
    const files = readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
      if (skipped.includes(entry.name) || entry.isSymbolicLink()) return [];
      if (!entry.isDirectory()) return [entry.name];
      const below = readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' });
      return below.map((path) => join(entry.name, path));
    });
    const texts = files.filter((path) => /\.(ya?ml|md)$/.test(path));
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.flatMap((path) => unpinned(read(path)).map((used) => `${path}: ${used}`))).toEqual([]);
  });

  test.each([
    [`- uses: actions/checkout@v4`, ['actions/checkout@v4']],
    [`  uses: actions/checkout@main # ${commit}`, ['actions/checkout@main']],
    [`- { uses: "actions/checkout@v4", with: {} }`, ['actions/checkout@v4']],
    [`- 'uses': some/action`, ['some/action']],
    [`  - uses: actions/checkout@${commit.slice(1)}`, [`actions/checkout@${commit.slice(1)}`]],
    [`uses: docker://alpine:3`, ['docker://alpine:3']],
    [`- uses: actions/checkout@${commit} # v4.2.2`, []],
    [`- uses: ./actions/plan`, []],
    [`uses: docker://alpine@sha256:${commit.slice(0, 32)}${commit.slice(0, 32)}`, []],
  ])('in the form %s are found', (text, expected) => {
    expect(unpinned(text)).toEqual(expected);
  });
});

test('S26: SECURITY.md names tests that exist', () => {
  const named = [...read('SECURITY.md').matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
