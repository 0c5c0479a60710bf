import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasChanges } from '../../src/plan/action.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { applyCommand, planCommand } from '../cli/asked.ts';
import { documentOf, project, trueup } from '../cli/process.ts';
import { shown } from '../render/plans.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import type { Body } from '../support/kind-manifests.ts';
import { addressOf, manifestWith, renamedKey, triedStands } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import { applyFile, fileIn, refused, review } from '../support/reviewed.ts';
import { bench, head } from '../support/world.ts';

/** A change of the state alone is a change: it is shown, counted, asked for and reviewed as others are. */

const file = 'services: { web: { image: nginx } }';
const web = (more = '') =>
  `{ name: web, source: { type: raw, composeFile: "${file}" }${more}, domains: { x.example.com: { serviceName: web } } }`;
const compose = (blocks: string, moved = '') =>
  `${head}${moved}environments:\n  production:\n    compose: { ${blocks} }\n`;
const before = compose(`web: ${web()}`);
const entry = 'moved: [{ from: production.compose.web, to: production.compose.site }]\n';
const after = compose(`site: ${web()}`, entry);
const site = 'production.compose.site';

describe('U5: a move that sends nothing', () => {
  test('is shown and counted, and the plan after it is empty', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const plan = await made.plan(after);
    expect(shown(plan)).toBe(
      `> production.compose.web -> production.compose.site: moved in the state, with 1 object below it; nothing changes on the platform

Plan: 2 to move, 1 unchanged.
`,
    );
    expect(planDocument({ plan, counts: { reads: 0, writes: 0 } })).toMatchObject({
      hasChanges: true,
      summary: { move: 2, 'no-op': 1 },
      actions: [
        { address: 'production' },
        { address: site, action: 'move', movedFrom: 'production.compose.web' },
        {
          address: `${site}.domains["x.example.com"]`,
          action: 'move',
          movedFrom: 'production.compose.web.domains["x.example.com"]',
        },
      ],
    });
    made.requests('POST');
    const result = await made.apply(after);
    expect(made.requests('POST')).toEqual([]);
    expect(result.outcomes.map(({ result: one }) => one)).toEqual(['done', 'done', 'done']);
    expect(made.store.state?.resources).toHaveProperty([site]);
    for (const text of [after, compose(`site: ${web()}`)]) {
      expect(shown(await made.plan(text))).toBe('No changes. The platform matches the manifest.\n');
    }
  });

  test('fits 40 columns', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const text = shown(await made.plan(after), { width: 40 });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });

  test('is shown beside an edit of the same object, and of one below', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const edited = after
      .replace('name: web,', 'name: web, description: new,')
      .replace('serviceName: web', 'serviceName: web, port: 9');
    expect(shown(await made.plan(edited))).toContain(
      `~ production.compose.web -> production.compose.site: update; moved in the state, with 1 object below it
    + description: new
  ~ domains["x.example.com"]: update
      port: 3000 -> 9 (first managed)
`,
    );
    await made.apply(edited);
    expect(shown(await made.plan(edited))).toMatch(/^No changes/);
  });

  test('of an environment is shown once, with the number of objects in it', async () => {
    const made = bench();
    const text = (name: string, moved = '') =>
      `${head}${moved}environments:\n  production: {}\n  ${name}: { name: staging, compose: { web: ${web()} } }\n`;
    await made.apply(text('staging'), { adoption: true });
    const renamed = text('preview', 'moved: [{ from: staging, to: preview }]\n');
    expect(shown(await made.plan(renamed))).toBe(
      '> staging -> preview: moved in the state, with 2 objects below it; nothing changes on the platform\n\nPlan: 3 to move, 1 unchanged.\n',
    );
    await made.apply(renamed);
    expect(shown(await made.plan(renamed))).toMatch(/^No changes/);
  });

  test('within a service names both keys below it', async () => {
    const made = bench();
    const text = (key: string, moved = '') =>
      compose(
        `web: { name: web, source: { type: raw, composeFile: "${file}" }, domains: { ${key}: { host: x.example.com, serviceName: web } } }`,
        moved,
      );
    await made.apply(text('a'), { adoption: true });
    const renamed = text(
      'b',
      'moved: [{ from: production.compose.web.domains.a, to: production.compose.web.domains.b }]\n',
    );
    expect(shown(await made.plan(renamed))).toContain(
      '  > domains.a -> domains.b: moved in the state; nothing changes on the platform\n',
    );
    await made.apply(renamed);
    expect(shown(await made.plan(renamed))).toMatch(/^No changes/);
  });

  test('goes through two entries to the last address', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const twice =
      'moved: [{ from: production.compose.web, to: production.compose.next }, { from: production.compose.next, to: production.compose.site }]\n';
    expect(shown(await made.plan(compose(`site: ${web()}`, twice)))).toContain(
      '> production.compose.web -> production.compose.site: moved in the state',
    );
  });

  test('makes the command line exit with 2, and is asked for as other changes are', async () => {
    const folder = project(before);
    const at = ['-C', folder];
    expect((await trueup(['apply', '--auto-approve', '--adopt', ...at])).code).toBe(0);
    writeFileSync(join(folder, 'trueup.yaml'), after);
    expect((await trueup(['plan', '--detailed-exitcode', ...at])).code).toBe(2);
    const asked = await trueup(['apply', ...at]);
    expect(asked.code).toBe(1);
    expect(asked.err).toContain('cannot ask for approval');
    const applied = await trueup(['apply', '--auto-approve', ...at]);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.out).toContain('Applied: 2 moved.\n');
    const again = await trueup(['plan', '--detailed-exitcode', '--format', 'json', ...at]);
    expect(again.code).toBe(0);
    expect(documentOf(again)).toMatchObject({ hasChanges: false });
  });

  test('is a fact of the plan file, which is applied once', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const saved = await review(made, after);
    expect(fileIn(saved).facts[site]).toMatchObject({ 'moved production.compose.web': '' });
    expect(await refused(made, saved, compose(`site: ${web()}`))).not.toEqual([]);
    await applyFile(made, saved, after);
    expect(shown(await made.plan(after))).toMatch(/^No changes/);
  });

  test('is what a reviewed update comes to when somebody made the update by hand', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const edited = after.replace('name: web,', 'name: web, description: new,');
    const saved = await review(made, edited);
    const composeId = made.store.state?.resources['production.compose.web']?.id;
    await made.emulator.act('compose.update', { composeId, description: 'new' });
    await applyFile(made, saved, edited);
    expect(shown(await made.plan(edited))).toMatch(/^No changes/);
  });
});

describe('U5: a field that is no longer managed', () => {
  const database = (more: string) =>
    `${head}environments:\n  production:\n    redis:\n      main: { dockerImage: "redis:8", databasePassword: correct-horse-1${more} }\n`;

  test('is a change of the state, once', async () => {
    const made = bench();
    await made.apply(database(', description: one'), { adoption: true });
    const plan = await made.plan(database(''));
    expect(shown(plan)).toMatch(
      /^~ production\.redis\.main: update: in the state only, nothing is sent\n {4}note: description: is no longer managed/,
    );
    expect(planDocument({ plan, counts: { reads: 0, writes: 0 } })).toMatchObject({
      hasChanges: true,
      summary: { update: 1 },
    });
    made.requests('POST');
    await made.apply(database(''));
    expect(made.requests('POST')).toEqual([]);
    expect(shown(await made.plan(database('')))).toBe('No changes. The platform matches the manifest.\n');
  });

  test.each(['protect: true', 'deploy: never', 'deleteVolumes: true', 'envMode: merge'])(
    'so is the option %s',
    async (option) => {
      const made = bench();
      const text = (more: string) => compose(`web: ${web(`, env: { A: b }${more}`)}`);
      await made.apply(text(''), { adoption: true });
      const name = option.split(':')[0] ?? '';
      const plan = await made.plan(text(`, ${option}`));
      expect(shown(plan)).toContain('~ production.compose.web: update: in the state only, nothing is sent\n');
      expect(plan.actions.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([name]);
      made.requests('POST');
      await made.apply(text(`, ${option}`));
      expect(made.requests('POST')).toEqual([]);
      expect(shown(await made.plan(text(`, ${option}`)))).toMatch(/^No changes/);
    },
  );
});

describe('U6: the remedy of the note on a rename keeps the object', () => {
  test.each(triedStands().flatMap((stand) => (stand.kind.isSingle === true ? [] : [[stand.title, stand] as const])))(
    '%s',
    async (_title, stand) => {
      const made = kindBench();
      const key = renamedKey(stand);
      const text = (name: string, body: Body, moved: readonly { from: string; to: string }[] = []) =>
        manifestWith(stand, body, { key: name, moved });
      const first = text(stand.key, stand.body);
      const start = await made.plan(first);
      // What no plan creates is never renamed.
      if (start.actions.some(({ notes }) => notes.some(({ code }) => code === 'cannot-create'))) return;
      await made.apply(first, { adoption: true, dataLoss: true });
      const found = (await made.plan(text(key, stand.body))).diagnostics.find(
        ({ code, address }) => code === 'renamed' && address === addressOf(stand),
      );
      if (found === undefined) {
        // What is listed only later is let go of with a warning of its own.
        expect(stand.kind.identity.listedOnce).toBeDefined();
        return;
      }
      const parts = /write moved: (\[.*?\])(?:, and (\S+): (.*?) in the block .*)?\.$/.exec(found.remedy ?? '');
      const [, moved = '[]', field, value = 'null'] = parts ?? [];
      const entries = JSON.parse(moved.replaceAll(/\b(from|to): /g, '"$1": ')) as { from: string; to: string }[];
      const kept = field === undefined ? {} : { [field]: JSON.parse(value) as string };
      const repaired = text(key, { ...stand.body, ...kept }, entries);
      const plan = await made.plan(repaired);
      expect(plan.actions.flatMap(({ notes }) => notes.filter(({ severity }) => severity === 'error'))).toEqual([]);
      const outcomes = plan.actions.map(({ action }) => action);
      for (const lost of ['delete', 'create', 'replace', 'forget']) expect(outcomes).not.toContain(lost);
      await made.apply(repaired, { adoption: true, dataLoss: true });
      expect(hasChanges(await made.plan(repaired))).toBe(false);
    },
  );

  test('is not given where the platform cannot move the object', async () => {
    const made = bench({ documentedOnly: true });
    const text = (environment: string) =>
      `${head}environments:\n  production: {}\n  staging: {}\n`.replace(
        `${environment}: {}`,
        `${environment}: { application: { web: { source: { type: docker, image: nginx } } } }`,
      );
    await made.apply(text('production'), { adoption: true });
    const plan = await made.plan(text('staging'));
    expect(plan.diagnostics.filter(({ code }) => code === 'renamed')).toEqual([]);
  });
});

test('U5: the terminal prints the move before it asks', async () => {
  const folder = project(before);
  const first = recordingTerminal();
  await execute(applyCommand({ autoApprove: true, adopt: true }), { folder, terminal: first.terminal });
  writeFileSync(join(folder, 'trueup.yaml'), after);
  const second = recordingTerminal();
  expect(await execute(planCommand({ detailedExitcode: true }), { folder, terminal: second.terminal })).toBe('changes');
  expect(second.printed.out).toContain('moved in the state');
});
