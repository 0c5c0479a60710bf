import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencesIn } from './page-parts.ts';
import { root } from './samples.ts';

/** The commands that the README and the other pages of the package show, as a person types them into a shell. */

/** A block that cannot run from the installed package. */
interface Elsewhere {
  readonly page: string;
  /** What the block begins with. */
  readonly begins: string;
  readonly needs: 'a clone' | 'a container' | 'PostgreSQL';
  /** What runs it instead. */
  readonly by: string;
}

/** All blocks that do not run from the installed package. None of them calls its program, but those of the controller. */
export const elsewhere: readonly Elsewhere[] = [
  { page: 'README.md', begins: 'npm ci && npm run demo', needs: 'a clone', by: '.ci/run' },
  { page: 'CONTRIBUTING.md', begins: 'npm ci && npm run demo', needs: 'a clone', by: '.ci/run' },
  { page: 'docs/install.md', begins: 'git clone CLONE trueup', needs: 'a clone', by: '.ci/run' },
  {
    page: 'docs/install.md',
    begins: 'npm run single-file',
    needs: 'a clone',
    by: 'test/scenarios/single-file.test.ts',
  },
  { page: 'docs/install.md', begins: 'docker run', needs: 'a container', by: 'test/scenarios/image.test.ts' },
  { page: 'docs/live.md', begins: 'export TRUEUP_LIVE_URL=', needs: 'a clone', by: 'test/scenarios/live.test.ts' },
  { page: 'docs/live.md', begins: 'TRUEUP_LIVE_REPORT=', needs: 'a clone', by: 'test/scenarios/live.test.ts' },
  { page: 'docs/controller.md', begins: 'npm install', needs: 'PostgreSQL', by: 'test/controller/demo.test.ts' },
  {
    page: 'docs/controller.md',
    begins: 'docker build',
    needs: 'a container',
    by: 'test/scenarios/controller-files.test.ts',
  },
  ...[
    ['trueup controller enrol --platform paris --url https://paris', 'test/controller/enrol.test.ts'],
    ['trueup controller enrol --platform paris --url https://10.', 'test/controller/doctor.test.ts'],
    ['trueup controller enrol --source', 'test/controller/enrol.test.ts'],
  ].map(([begins = '', by = '']) => ({ page: 'docs/controller.md', begins, needs: 'PostgreSQL' as const, by })),
  {
    page: 'docs/commands.md',
    begins: 'trueup controller enrol --platform shop',
    needs: 'PostgreSQL',
    by: 'test/controller/enrol.test.ts',
  },
  { page: 'docs/controller.md', begins: 'psql', needs: 'PostgreSQL', by: 'test/scenarios/controller-backup.test.ts' },
  { page: 'docs/forges.md', begins: 'curl', needs: 'PostgreSQL', by: 'test/controller/forge/plan-pull.test.ts' },
];

/** The page that needs a forge and a store: `tutorial.ts` follows it. */
export const tutorialPage = 'docs/tutorial.md';

/** What a page finds at its first command. */
export interface Stage {
  /** Files of the folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands before a block, by what the block begins with. `''`: before the first one. */
  readonly before: Readonly<Record<string, string>>;
  /** Words of the reader, and what stands here in their place. */
  readonly words: Readonly<Record<string, string>>;
  /** The variable with the number of the program that the page starts in the background. */
  readonly background?: string;
  /** The page shows what its commands print. */
  readonly isCompared?: true;
}

/** What a page may use. */
export interface Surroundings {
  /** The address of a platform in the words of Dokploy, with the key `a-key`. */
  readonly url: string;
  /** A port that nothing listens on. */
  readonly port: number;
  /** The address of a receiver of notifications. */
  readonly receiver: string;
}

const raw = `{ source: { type: raw, composeFile: "services: { web: { image: 'nginx:1.27' } }\\n" }`;

/** A manifest with the addresses that most pages speak of. */
export const manifestOfPages = `trueup: 1
platform: emulator
project: prj_1
environments:
  production:
    compose: { shop: ${raw}, env: { REGION: eu, TAG: '1' } } }
    redis:
      cache: { dockerImage: 'redis:7', databasePassword: correct-horse-battery }
      old: { dockerImage: 'redis:7', databasePassword: correct-horse-battery }
  staging: { compose: { shop: ${raw} } } }
  preview: { compose: { shop: ${raw} } } }
`;

const applied = 'trueup apply --auto-approve --adopt';
const usual: Stage = { files: { 'trueup.yaml': manifestOfPages }, before: { '': applied }, words: {} };

/** A shell function that prints the id of an answer of `trueup call`, and one for a service of the state. */
const ids = `id() { grep -o "\\"$1\\": \\"[^\\"]*" | head -n 1 | cut -d '"' -f 4; }
of() { trueup state show "$1" | sed -n 's/^  id: //p'; }`;

/** The programs that pages need beside git: where one is missing, the page is skipped. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'docs/commands.md': ['jq'],
  'docs/secrets.md': ['age'],
  'docs/stages.md': ['age'],
  'examples/everything/README.md': ['ssh-keygen', 'openssl'],
  'examples/shop/README.md': ['openssl'],
};

/** The YAML of a page, by its place among all of it. */
function yamlOf(page: string, at: number): string {
  const found = fencesIn(page, readFileSync(join(root, page), 'utf8')).filter(({ language }) => language === 'yaml')[
    at
  ];
  if (found === undefined) throw new Error(`${page} has no YAML at ${at}`);
  return found.text;
}

/** The YAML of a page that begins with the name of its file. */
function yamlNamed(page: string, name: string): string {
  const found = fencesIn(page, readFileSync(join(root, page), 'utf8')).find(
    ({ language, text }) => language === 'yaml' && text.startsWith(`# ${name}`),
  );
  if (found === undefined) throw new Error(`${page} has no YAML of ${name}`);
  return found.text;
}

const stages: Readonly<Record<string, (around: Surroundings) => Partial<Stage>>> = {
  'README.md': () => ({
    files: { ...usual.files, 'infra/trueup.yaml': yamlOf('README.md', 0) },
    words: { '-C DIR': '-C infra' },
  }),
  'docs/commands.md': () => ({
    files: { ...usual.files, 'new-password': 'correct-horse-staple' },
    before: {
      '': applied,
      'npx trueup call --list': `${ids}
export ENVIRONMENT=$(of production)
export CMP=$(of production.compose.shop)
export PG=$(trueup call postgres.create name=main environmentId=$ENVIRONMENT databaseName=a databaseUser=a databasePassword=correct-horse-1 | id postgresId)
trueup call postgres.deploy postgresId=$PG --yes`,
    },
    words: { cmp_1: '$CMP', pg_1: '$PG' },
  }),
  'docs/drift.md': ({ receiver }) => ({
    files: { 'trueup.yaml': `${manifestOfPages}${yamlOf('docs/drift.md', 3)}` },
    before: {
      '': `export TRUEUP_SECRET_OPS_HOOK=${receiver} TRUEUP_SECRET_DRIFT_RECEIVER=${receiver} TRUEUP_SECRET_DRIFT_KEY=whsec_Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZQ==
${applied}
${ids}
trueup call compose.update composeId=$(of production.compose.shop) env=$'REGION=us\\nTAG=1' --yes`,
    },
    words: { '--until 2027-01-31': `--until "$(date -d '7 days' +%F)"` },
  }),
  'docs/faults.md': ({ port }) => ({
    files: {
      'faults.yaml': yamlOf('docs/faults.md', 0),
      'trueup.yaml': yamlOf('docs/faults.md', 1).replace('4050', String(port)),
    },
    before: {},
    words: {
      'emulate --faults faults.yaml &': `emulate --port ${port} --faults faults.yaml > log 2>&1 & export EMULATOR=$!
until grep -q TRUEUP_URL log; do sleep 0.1; done`,
    },
    background: 'EMULATOR',
  }),
  'docs/bring-your-server.md': ({ port }) => ({
    files: { 'bin/terraform': `#!/bin/sh\n[ "$*" = 'state pull' ] && cat "$HOME/pulled.json"\n` },
    before: {
      'trueup export --force': `export TRUEUP_AGE_IDENTITY=$(node -e "import('age-encryption').then(async (age) => console.log(await age.generateX25519Identity()))")
export RECIPIENT=$(node -e "import('age-encryption').then(async (age) => console.log(await age.identityToRecipient(process.env.TRUEUP_AGE_IDENTITY)))")`,
      'trueup export --unmanaged': `trueup call redis.create name=sessions environmentId=$ENVIRONMENT databasePassword=correct-horse-battery
trueup call domain.create applicationId=$WEB host=www.example.com port=80`,
      'terraform state pull': `mkdir ../from-terraform && cd ../from-terraform
chmod +x "$HOME/bin/terraform"
printf '{"version":4,"resources":[{"mode":"managed","type":"dokploy_application","name":"site","instances":[{"attributes":{"id":"%s"}}]}]}' $WEB > "$HOME/pulled.json"`,
    },
    words: {
      '4060': String(port),
      'age1…': '$RECIPIENT',
      'production.compose.shop ': `'production.application.web.domains["www.example.com"]'`,
      'https://deploy.example.com': `http://127.0.0.1:${port}`,
      'KEY=…': 'KEY=emulator-key',
    },
    background: 'SERVER',
    isCompared: true,
  }),
  'docs/manifest.md': () => ({
    files: {
      'trueup.yaml': yamlOf('docs/manifest.md', 0).replace(/^platform: .*$/m, 'platform: emulator'),
      'tags.yaml': 'variables: { tag: { promote: true } }\n',
      ...Object.fromEntries(
        Object.entries({ staging: '2025.11.4', production: '2025.11.3' }).map(([name, tag]) => [
          `${name}.yaml`,
          `trueup: 1\nplatform: emulator\nproject: prj_1\ninclude: [tags.yaml]\nenvironment: of-${name}\nvariables: { tag: ${tag} }\n`,
        ]),
      ),
    },
    before: { '': `export TRUEUP_SECRET_CACHE_PASSWORD=correct-horse-battery\n${applied}` },
  }),
  'docs/projects.md': ({ url }) => ({
    files: {
      'common.yaml': 'environments: { production: { env: { REGION: eu } } }\n',
      ...Object.fromEntries(
        ['shop', 'blog'].map((name) => [
          `${name}.yaml`,
          `trueup: 1\nproject: ${name}\ninclude: [common.yaml]\nenvironments: {}\n`,
        ]),
      ),
    },
    before: {
      '': `export TRUEUP_URL=${url} TRUEUP_API_KEY=a-key
trueup call project.create name=shop
trueup call project.create name=blog`,
    },
    words: { '-f blog.yaml': '-f blog.yaml --adopt' },
  }),
  'docs/review.md': () => ({ words: { 'dot -Tpng': 'cat' } }),
  'docs/secrets.md': () => ({
    files: {
      'trueup.yaml': `${manifestOfPages.replaceAll('correct-horse-battery', "'${secret:CACHE_PASSWORD}'")}secrets: [{ age: secrets.env.age }]\n`,
      'secrets.env': 'CACHE_PASSWORD=correct-horse-battery\n',
      '.config/.keep': '',
    },
    before: {
      'trueup secret set': `cat > production.yaml <<END
trueup: 1
platform: emulator
project: prj_1
environment: sealed
secrets: [{ sealed: secrets/production.env, recipients: [$(age-keygen 2> /dev/null | grep -o 'age1[a-z0-9]*' | head -n 1)] }]
END`,
    },
    words: {
      'age1…': '$(age-keygen -y ~/.config/trueup.key)',
      'trueup secret set DB_PASSWORD': 'echo correct-horse-battery | trueup secret set DB_PASSWORD',
    },
  }),
  'docs/stages.md': () => ({
    files: Object.fromEntries(
      ['staging.yaml', 'production.yaml', 'shop.yaml', 'preview.yaml'].map((name) => [
        name,
        yamlNamed('docs/stages.md', name)
          .replace(/^platform: .*$/m, 'platform: emulator')
          .replace('project: shop', 'project: prj_1'),
      ]),
    ),
    before: {
      '': `export TRUEUP__STAGING__SECRET_DB_PASSWORD=correct-horse-battery
export TRUEUP__PRODUCTION__SECRET_DB_PASSWORD=correct-horse-battery
export TRUEUP__PREVIEW__SECRET_DB_PASSWORD=correct-horse-battery`,
      'trueup secret set': `age-keygen -o staging.key 2> /dev/null
export TRUEUP_AGE_IDENTITY_FILE=$PWD/staging.key
echo "secrets: [{ sealed: secrets/staging.env, recipients: [$(age-keygen -y staging.key)] }]
generated: { SESSION_KEY: { length: 40 } }" >> staging.yaml`,
      'trueup drift adopt': `export MAIN=$(trueup state show staging.postgres.main -f staging.yaml | sed -n 's/^  id: //p')
trueup call postgres.update postgresId=$MAIN dockerImage=postgres:18 --yes -f staging.yaml`,
    },
    words: {
      'trueup apply': 'trueup apply --auto-approve --adopt',
      'git mv': 'mv',
      'trueup secret set DB_PASSWORD': 'echo correct-horse-battery | trueup secret set DB_PASSWORD',
    },
  }),
  'docs/troubleshooting.md': ({ url }) => ({
    files: { 'trueup.yaml': manifestOfPages.replace('emulator', `{ url: '${url}' }`), 'empty/.keep': '' },
    before: {
      '': `${ids}\nexport TRUEUP_API_KEY=a-key\nexport ORGANIZATION=$(trueup call user.get | id organizationId)\n${applied}`,
    },
    words: {
      'TRUEUP_URL=https://deploy.example.com': `cd empty && TRUEUP_URL=${url}`,
      '# in a folder without a manifest': '; cd ..',
      '<id>': `'"$ORGANIZATION"'`,
    },
  }),
};

/** What a page finds at its first command; without a stage of its own: a folder with that manifest, applied. */
export function stageOf(page: string, around: Surroundings): Stage {
  const [, example] = /^(examples\/\w+)\/README\.md$/.exec(page) ?? [];
  const own = stages[page]?.(around) ?? (example === undefined ? {} : stageOfExample(example));
  return { ...usual, ...own };
}

/** The programs that a page needs beside git. */
export function neededBy(page: string): readonly string[] {
  return programs[page] ?? [];
}

/** A copy of an example, as the package has it. */
function stageOfExample(example: string): Partial<Stage> {
  const copied = `cp -R node_modules/trueup/${example}/. .`;
  return {
    files: {},
    before: { '': copied },
    words: example.endsWith('/adopt') ? { '=…': '=correct-horse-battery' } : {},
  };
}

/** The pages with a stage of their own. */
export const stagedPages: readonly string[] = [...Object.keys(stages), ...Object.keys(programs)];

/** The pages that the package has, as a checkout has them. */
export function packedPages(): string[] {
  const pages = readdirSync(root, { encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const below = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  return [...pages, ...below].filter((page) => page.endsWith('.md')).toSorted();
}

/** The pages with blocks that run from the installed package by themselves. */
export function installedPages(): string[] {
  return packedPages().filter(
    (page) => page !== tutorialPage && shellBlocks(page).some((text) => !isElsewhere(page, text)),
  );
}

/** The blocks of commands of a page. */
export function shellBlocks(page: string): string[] {
  const fences = fencesIn(page, readFileSync(join(root, page), 'utf8'));
  return fences.filter(({ language }) => language === 'sh').map(({ text }) => text);
}

/** Whether a block does not run from the installed package. */
export function isElsewhere(page: string, block: string): boolean {
  return elsewhere.some((one) => one.page === page && block.startsWith(one.begins));
}

/** A block with what stands in the place of words of the reader, and with the answers of the person who types it. */
export function asTyped(block: string, words: Stage['words']): string {
  let commands = block;
  for (const [word, here] of Object.entries(words)) commands = commands.replaceAll(word, here);
  return commands
    .replaceAll(/\btrueup (?:-C \S+ )?(?:apply|destroy)\b[^#|>\n]*/g, (one) =>
      one.includes('--auto-approve') ? one : `${one.trimEnd()} --auto-approve `,
    )
    .replaceAll(/\btrueup destroy\b(?!.*--(?:allow-data-loss|target))/g, 'trueup destroy --allow-data-loss')
    .replaceAll(/\btrueup state rm [^#\n]*/g, (one) => `${one.trimEnd()} --yes `)
    .replaceAll(/^trueup drift$/gm, 'trueup drift || [ $? = 2 ]');
}
