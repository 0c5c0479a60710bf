import { expect, it } from 'vitest';
import { driftDocument } from '../../../src/render/document-schemas.ts';
import { renderDriftPage } from '../../../src/render/html/drift-page.ts';
import { hostileDrift } from '../../support/hostile-documents.ts';
import { expectSafe, tagsOf } from '../../support/page.ts';
import { hostileNames } from '../hostile.ts';

it('shows findings by status, new ones first, with all that is known of each', () => {
  const drift = driftDocument.parse(hostileDrift(['main', 'second', 'third', 'fourth', 'fifth']));
  const page = renderDriftPage(drift);
  expectSafe(page);
  const titles = [...page.matchAll(/<summary><h3>([^<]*)/g)].map(([, title]) => title);
  expect(titles).toEqual(['New', 'Accepted until a day that has passed', 'Known', 'Accepted', 'Not yet applied']);
  expect(page).toContain('>New drift: 1 new, 1 expired, 1 known, 1 accepted, 1 not yet applied');
  expect(page).toContain(
    'Accepted until 2026-01-01 by third: third. Changed 3 times since 2026-01-01: find out who changes it back before you repair it.',
  );
});

it('says so when there is none', () => {
  const none = { new: 0, known: 0, accepted: 0, expired: 0, 'not yet applied': 0, ignored: 0, resolved: 0 };
  const page = renderDriftPage({ ...hostileDrift([]), exitCode: 0, diagnostics: [], summary: none });
  expectSafe(page);
  expect(page).toContain('>No drift: the platform is as it was applied.<');
  expect(page).toContain('<p class="empty">Nothing was found.</p>');
});

it('takes hostile names for text, wherever they stand', () => {
  const page = renderDriftPage(hostileDrift(hostileNames));
  expectSafe(page);
  const harmless = renderDriftPage(hostileDrift(hostileNames.map((_, at) => `name-${at}`)));
  expect(new Set(tagsOf(page))).toEqual(new Set(tagsOf(harmless)));
});

it('says what was found at an object as a whole, with its environment', () => {
  const drift = hostileDrift(['main']);
  const common = { status: 'new' as const, remedy: 'Look.' };
  const moved = { ...common, is: 'drifted' as const, address: 'staging.redis.main', kind: 'redis' };
  const findings: typeof drift.findings = [
    { ...moved, id: 'a', is: 'missing', address: 'production.redis.main', objectId: 'r_1', summary: 'with 1 below it' },
    { ...common, id: 'b', is: 'not yet applied', address: 'registries.images', kind: 'registry', summary: 'delete' },
    { ...moved, id: 'c', summary: 'moved below production' },
    { ...moved, id: 'd', path: 'name', objectId: 'r_2' },
  ];
  const page = renderDriftPage(driftDocument.parse({ ...drift, findings }));
  const said = [...page.matchAll(/data-within="([^"]*)".*\n<p class="what">([^<]*)/g)].map(([, within, what]) => [
    within,
    what,
  ]);
  expect(said).toEqual([
    ['production', 'Gone from the platform (redis r_1), with 1 below it.'],
    ['', 'Delete.'],
    ['staging', 'Moved below production.'],
    ['staging', 'Object r_2.'],
  ]);
  expect(page).toContain('<option value="">outside environments (1)</option>');
});

it('shows a secret part of the manifest with one word', () => {
  const drift = hostileDrift(['main']);
  const masked = (value: string) => ({ is: 'masked', value }) as const;
  const findings: typeof drift.findings = [
    {
      id: 'a',
      status: 'new',
      is: 'drifted',
      kind: 'redis',
      remedy: 'Look.',
      address: 'production.redis.main',
      path: 'command',
      edited: true,
      applied: masked('a (sensitive)'),
      platform: masked('b (sensitive)'),
      manifest: masked('c (sensitive, changed)'),
    },
  ];
  const page = renderDriftPage(driftDocument.parse({ ...drift, findings }));
  expect(page).toContain('<code>c (sensitive)</code>');
});

it('shows numbers in their units', () => {
  const drift = hostileDrift(['main']);
  const value = (text: string) => ({ is: 'value' as const, value: text });
  const sides = { applied: value('2147483648'), platform: value('3221225472'), manifest: value('4294967296') };
  const findings = drift.findings.map((one) => ({ ...one, ...sides, unit: 'bytes' as const, summary: undefined }));
  const page = renderDriftPage({ ...drift, findings });
  for (const amount of ['2Gi', '3Gi', '4Gi']) expect(page).toContain(`<code>${amount}</code>`);
});

it('names the version of the platform', () => {
  const page = renderDriftPage({
    ...hostileDrift(['main']),
    platform: 'https://a.example',
    platformVersion: 'v0.26.1',
  });
  expect(page).toContain('https://a.example, v0.26.1');
});
