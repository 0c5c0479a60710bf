/** What the world outside holds, the same for every provider: the emulator reaches no git host and no model. */

/** A repository on a git host. */
export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** The first is the default branch. */
  readonly branches: readonly { readonly name: string; readonly commit: string }[];
}

/** The repositories on every git host. */
export const repositories: readonly Repository[] = [
  {
    id: 1,
    owner: 'acme',
    name: 'shop',
    branches: [
      { name: 'main', commit: '5d41402abc4b2a76b9719d911017c592ae1f3c07' },
      { name: 'release/2.0_rc#1', commit: '7d793037a0760186574b0282f2f435e7c3b81d52' },
    ],
  },
  {
    id: 2,
    owner: 'acme-labs',
    name: 'site.docs',
    branches: [{ name: 'trunk', commit: '9e107d9d372bb6826bd81d3542a419d6ab04e1f8' }],
  },
];

/** The models behind every AI provider. */
export const models: readonly string[] = ['model-large', 'model-small'];

/** What a model suggests, whatever it is asked for. */
export const suggestions = [
  {
    id: 'static-site',
    name: 'Static site',
    shortDescription: 'nginx with one page',
    description: 'An nginx that serves one page.',
    dockerCompose:
      'services:\n  web:\n    image: nginx:1\n    volumes:\n      - ../files/index.html:/usr/share/nginx/html/index.html\n',
    envVariables: [{ name: 'SITE_TITLE', value: 'Site' }],
    domains: [{ host: 'site.example.test', port: 80, serviceName: 'web' }],
    configFiles: [{ filePath: 'index.html', content: '<h1>Site</h1>' }],
  },
];
