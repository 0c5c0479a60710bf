import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { partsOf } from './page-parts.ts';
import { root } from './samples.ts';

/** The commands that the README and the pages of docs/ show, as a person types them into a shell. */

/** Pages that need more than a folder with a manifest on the embedded emulator: what runs or tests them instead. */
export const pagesElsewhere: Readonly<Record<string, string>> = {
  'docs/doctor.md': 'a server of its own: test/cli/commands/doctor.test.ts',
  'docs/from-dokploy.md': 'test/scenarios/from-dokploy.test.ts',
  'docs/from-terraform.md': 'Terraform: test/export/terraform.test.ts',
  'docs/install.md': 'a clone: the other tests of the package',
  'docs/live.md': 'test/scenarios/live.test.ts',
  'docs/manifest.md': 'stores of its own: test/manifest/sources',
  'docs/projects.md': 'a server with several projects: test/scenarios/several-projects.test.ts',
  'docs/secrets.md': 'programs of other vendors: test/secrets/sources',
  'docs/taking-over.md': 'a server of its own: test/cli/commands/init.test.ts',
  'docs/tutorial.md': 'test/scenarios/tutorial.test.ts',
};

/** Blocks that speak of ids or receivers of the reader. */
const blocksElsewhere = /composeId=cmp_1|drift --notify/;

const raw = `{ source: { type: raw, composeFile: "services: { web: { image: 'nginx:1.27' } }\\n" }`;

/** A manifest with the addresses that the pages speak of. */
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

/** What happens before the commands of a page, on a platform with that manifest. */
export const before: Readonly<Record<string, string>> = {
  'docs/drift.md': `id=$(trueup state show production.compose.shop | sed -n 's/^  id: //p')
trueup call compose.update composeId=$id env=$'REGION=us\\nTAG=1' --yes`,
  'docs/report.md': 'trueup plan --out plan.trueup',
};

/** The pages with commands of Trueup that run in a folder with that manifest; new ones too. */
export function shellPages(): string[] {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
  return pages.filter(
    (page) => page.endsWith('.md') && pagesElsewhere[page] === undefined && blocksOf(page).length > 0,
  );
}

/** The blocks of commands of a page that call Trueup, with the answers of the person who types them. */
export function blocksOf(page: string): readonly string[] {
  return partsOf(readFileSync(join(root, page), 'utf8'))
    .map(({ commands }) => commands)
    .filter((commands) => /\btrueup /.test(commands) && !blocksElsewhere.test(commands))
    .map(answered);
}

/** Consents at each prompt. `trueup drift` ends with 2 when it finds something, and `dot` draws a picture. */
function answered(commands: string): string {
  return commands
    .replaceAll(/\btrueup (?:-C \S+ )?(?:apply|destroy)\b[^#|>\n]*/g, (one) =>
      one.includes('--auto-approve') ? one : `${one.trimEnd()} --auto-approve `,
    )
    .replaceAll(/\btrueup destroy\b(?!.*--(?:allow-data-loss|target))/g, 'trueup destroy --allow-data-loss')
    .replaceAll(/\btrueup state rm [^#\n]*/g, (one) => `${one.trimEnd()} --yes `)
    .replaceAll(/^trueup drift$/gm, 'trueup drift || [ $? = 2 ]')
    .replaceAll('| dot -Tpng', '| cat')
    .replaceAll('-C DIR', '-C infra');
}
