import { expect, it } from 'vitest';
import type { PlanDocument } from '../../../src/render/document-schemas.ts';
import { planDocument as schema } from '../../../src/render/document-schemas.ts';
import { renderPlanPage } from '../../../src/render/html/plan-page.ts';
import { planDocument } from '../../../src/documents/plan-document.ts';
import { expectSafe, tagsOf } from '../../support/page.ts';
import { hostilePlan } from '../../support/hostile-documents.ts';
import { bench, head } from '../../support/world.ts';
import { hostileNames } from '../hostile.ts';

const counts = { reads: 3, writes: 0 };
const canary = 'canary-7f3a-secret';

const manifest = (tag: string, memory: string, more = '') => `${head}environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}", memoryLimit: ${memory} }
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:${tag}\\n    ports: [80]\\n" }
        env: { HOST: "\${ref:postgres.main.host}", TAG: ${tag}, PASSWORD: "\${secret:DB}" }
        domains: { shop.example.com: { serviceName: web, port: 80 } }
${more}`;

async function plans() {
  const made = bench();
  made.secrets['DB'] = canary;
  const cache = '    redis:\n      cache: { dockerImage: "redis:8", databasePassword: "${secret:DB}" }\n';
  const first = planDocument({ plan: await made.plan(manifest('1', '1Gi', cache)), counts });
  await made.apply(manifest('1', '1Gi', cache));
  const second = planDocument({ plan: await made.plan(manifest('2', '2Gi')), counts });
  const none = planDocument({ plan: await made.plan(manifest('1', '1Gi', cache)), counts });
  return { first, second, none };
}

/** The text that people read, a line per block. */
function textOf(html: string): string {
  return html
    .replace(/^.*<body>/s, '')
    .replace(/<script>.*?<\/script>/s, '')
    .replaceAll(/<\/(?:p|li|dd|dt|h\d|article|summary|legend|label|header|figcaption|div)>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n');
}

it('shows counts, deletions, data at risk, restarts, fields with units and lines that differ', async () => {
  const { second } = await plans();
  const page = renderPlanPage({ plan: second });
  expectSafe(page);
  expect(schema.parse(second)).toEqual(second);
  const text = textOf(page);
  expect(text).toContain('2 to update');
  expect(text).toContain('Deletes: 1 object (1 service)\nproduction.redis.cache\n');
  expect(text).toContain(
    'Data at risk: 1 resource\nproduction.redis.cache the data of this database (apply needs --allow-data-loss)\n',
  );
  expect(text).toContain('Restarts 2 services\nproduction.postgres.main\nproduction.compose.shop\n');
  expect(text).toMatch(/memoryLimit trueup\.yaml:\d+\nold: 1Gi → new: 2Gi\n/);
  expect(text).toMatch(/env\.TAG trueup\.yaml:\d+\nold: "1" → new: "2"\n/);
  expect(text).toContain('@@ -1,4 +1,4 @@ services.web\n');
  expect(text).toContain('\n3- image: nginx:1\n3+ image: nginx:2\n');
  expect(text).toContain('Planned with 3 reads, 0 writes.');
  expect(page).not.toContain(canary);
});

it('shows a first plan, with hidden values, in the order of the document', async () => {
  const { first } = await plans();
  const page = renderPlanPage({ plan: first });
  expectSafe(page);
  const text = textOf(page);
  expect(text).toMatch(/databasePassword trueup\.yaml:\d+\nnew: \(sensitive/);
  expect(text).toContain('known after apply');
  const groups = [...page.matchAll(/id="g\d+" open><summary><h3><code>([^<]*)/g)].map(([, name]) => name);
  expect(groups).toEqual([
    'production',
    'production.postgres.main',
    'production.compose.shop',
    'production.redis.cache',
  ]);
  expect(page).not.toContain(canary);
});

it('says so when there is nothing to change, and lists what there is', async () => {
  const { none } = await plans();
  const page = renderPlanPage({ plan: none });
  expectSafe(page);
  const text = textOf(page);
  expect(text).toContain('\nNo changes. The platform matches the manifest.\n');
  expect(text).toContain('There is nothing to change.');
  expect(text).toContain('production.compose.shop compose');
  expect(page).not.toContain('class="filter"');
});

it('draws what depends on what, with links to the resources', async () => {
  const { second } = await plans();
  const page = renderPlanPage({ plan: second });
  const drawing = /<div class="level level-resources">.*?<\/svg>/s.exec(page)?.[0] ?? '';
  const names = [...drawing.matchAll(/<text[^>]*>([^<]*)/g)].map(([, name]) => name);
  expect(names).toEqual(['~ postgres.main', '~ compose.shop', 'domains[&#34;shop.example.com&#34;]', '- redis.cache']);
  // The compose needs the database by a reference, and the domain the compose.
  expect(drawing.match(/class="edge"/g)).toHaveLength(2);
  expect(drawing.match(/<a href="#r\d+"/g)).toHaveLength(4);
});

it('shows how each action ended, with what went wrong first', async () => {
  const { second } = await plans();
  const broken = { code: 'platform-answer', severity: 'error' as const, message: 'compose.update failed: 500' };
  const page = renderPlanPage({
    plan: second,
    result: {
      format: 'trueup/result',
      version: 2,
      compared: 0,
      notCompared: [],
      left: 0,
      ignored: 0,
      ending: 'partly',
      interrupted: true,
      exitCode: 4,
      requests: { reads: 9, writes: 2 },
      outcomes: second.actions.map(({ address, kind, action }) => ({
        address,
        kind,
        action,
        result: address.endsWith('shop') && action === 'update' ? ('failed' as const) : ('done' as const),
        writes: 1,
        diagnostics: address.endsWith('shop') && action === 'update' ? [broken] : [],
      })),
      diagnostics: [],
    },
  });
  expectSafe(page);
  const text = textOf(page);
  expect(text).toContain('Interrupted: 1 updated, 1 deleted, 2 deployed, 1 failed.');
  expect(text).toContain('Look at this first\nFailed or not verified: 1 action\nproduction.compose.shop\n');
  expect(text).toContain('compose.update failed: 500');
  expect(text).toContain('Applied with 9 reads, 2 writes.');
});

it('takes hostile names for text, wherever they stand', () => {
  const harmless = hostileNames.map((_, at) => `names.name-${at}`);
  const page = renderPlanPage({ plan: hostilePlan(hostileNames) });
  expectSafe(page);
  const kinds = (html: string) => new Set(tagsOf(html));
  expect(kinds(page)).toEqual(kinds(renderPlanPage({ plan: hostilePlan(harmless) })));
});

it('is the same page each time', async () => {
  const { second } = await plans();
  const again = JSON.parse(JSON.stringify(second)) as PlanDocument;
  expect(renderPlanPage({ plan: again })).toBe(renderPlanPage({ plan: second }));
});

it('names the version of the platform', () => {
  const plan = { ...hostilePlan(['main']), platform: 'https://a.example', platformVersion: 'v0.26.1' };
  expect(renderPlanPage({ plan })).toContain('https://a.example, v0.26.1');
});
