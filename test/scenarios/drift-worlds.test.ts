import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasChanges } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import type { Drift } from '../support/random-commands.ts';
import { histories } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { driftOf } from '../support/drifting.ts';
import { effort } from '../support/whole.ts';
import { converge } from './histories/converge.ts';
import type { Life } from './histories/life.ts';
import { drift } from './histories/life.ts';
import { newRun, recorded } from './histories/run.ts';

/**
 * Random worlds in which people changed things by hand and edited the manifest: `drift` reads what a plan reads, and each list
 * below a service, and sends no POST, finds something exactly when the plan has something to do, and finds nothing after an apply.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 15);
const runs = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 100, all: 200 }));

/** Whether a finding is one that a plan does something about. */
const isWork = ({ is }: { readonly is: string }) => is !== 'unmanaged' && is !== 'duplicate';

test('drift sends the GETs of a plan, those of lists below each service, and no POST, and agrees with the plan, in random worlds', async () => {
  const happened = new Map<string, number>();
  const worlds = histories.map(({ commands, ...history }) => {
    const drifts = commands.flatMap((one): readonly Drift[] => ('drift' in one ? [one.drift] : []));
    const edits = commands.flatMap((one) => (one.command === 'edit' ? one.edits.slice(0, 1) : []));
    return { ...history, drifts, edits };
  });
  await fc.assert(
    fc.asyncProperty(worlds, async ({ start, top, there, drifts, edits }) => {
      const run = newRun(mkdtempSync(join(tmpdir(), 'trueup-drift-')));
      const { made } = run;
      const life: Life = { run, model: modelOf({ start, top }), steps: [], about: [] };
      const text = () => {
        declareMentioned(life.model);
        return yamlOf(treeOf(life.model, recorded(run)));
      };
      await drift(life, there);
      await converge(life);
      const rest = await driftOf(made, text());
      expect(rest.findings.filter(isWork)).toEqual([]);
      await drift(life, drifts);
      for (const one of edits) applyEdit(life.model, one);
      const manifest = text();
      const asked = () => made.requests('GET').toSorted();
      made.requests('POST');
      const planned = await plan(await made.manifest(manifest), made.world()).catch((error: unknown) => error as Error);
      const reads = asked();
      const before = JSON.stringify(made.emulator.world);
      const seen = made.emulator.log.length;
      const found = await driftOf(made, manifest).catch((error: unknown) => error as Error);
      expect(made.emulator.log.slice(seen).map(({ method }) => method)).not.toContain('POST');
      const read = asked();
      const isOfList = (one: string) => /^(?:schedule\.list|volumeBackups\.list|patch\.byEntityId)/.test(one);
      expect(read.filter((one) => !isOfList(one))).toEqual(reads.filter((one) => !isOfList(one)));
      expect(read.length).toBeGreaterThanOrEqual(reads.length);
      expect(JSON.stringify(made.emulator.world)).toBe(before);
      if (planned instanceof Error || found instanceof Error) {
        expect(String(found)).toBe(String(planned));
        happened.set('refused', (happened.get('refused') ?? 0) + 1);
        return;
      }
      const work = found.findings.filter(isWork);
      for (const { is } of found.findings) happened.set(is, (happened.get(is) ?? 0) + 1);
      const isOpen = hasChanges(planned) || work.some(({ isLeft }) => isLeft === true);
      expect(work.length > 0).toBe(isOpen);
      // The same findings again, with the same ids, and known now.
      const again = await driftOf(made, manifest);
      expect(again.findings.map(({ id }) => id)).toEqual(found.findings.map(({ id }) => id));
      expect(again.findings.filter(({ status }) => status === 'new')).toEqual([]);
      const ids = found.findings.map(({ id }) => id);
      expect(found.findings.filter(({ id }) => ids.indexOf(id) !== ids.lastIndexOf(id))).toEqual([]);
      rmSync(made.folder, { recursive: true, force: true });
    }),
    { seed, numRuns: runs },
  );
  const names = ['drifted', 'missing', 'unmanaged', 'not yet applied'];
  expect(runs < 100 ? [] : names.filter((name) => !happened.has(name))).toEqual([]);
}, 600_000);
