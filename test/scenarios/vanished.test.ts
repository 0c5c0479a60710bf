import { describe, expect, test } from 'vitest';
import { everything, notesOf, plansNothing, refusal, rowsIn } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';
import type { Bench } from '../support/world.ts';
import { apiKey, places } from '../cli/place.ts';
import { trueup } from '../cli/process.ts';

/** All ids of a state lead nowhere at once: more often another server or an older backup than a deletion by hand. */

const block = '{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }';
const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);
const composes = (some: readonly string[]) => `{ compose: { ${some.map((name) => `${name}: ${block}`).join(', ')} } }`;
const production = (count: number) => `environments:\n  production: ${composes(names(count))}\n`;
const text = (count: number) => `${head}${production(count)}  staging: ${composes(['web'])}\n`;
const ordinary = { dataLoss: true, adoption: true, massDeletion: true };

/** A server that has nothing of what the state says, but the same organization and project. */
async function anotherServer(manifest: string): Promise<Bench> {
  const before = bench();
  await before.apply(manifest, everything);
  const made = bench();
  made.store.state = before.store.state;
  return made;
}

/** Deletes stacks by hand. */
async function without(made: Bench, count: number): Promise<void> {
  const ids = rowsIn(made, 'compose').slice(0, count);
  for (const { composeId } of ids) await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
  made.requests('POST');
}

describe('K7: a plan that would create again what vanished', () => {
  test('is refused when all of it vanished, with the likely reasons and the flag', async () => {
    const made = await anotherServer(text(3));
    const found = await refusal(made, () => made.apply(text(3), ordinary));
    expect(found.map(({ code }) => code)).toEqual(['vanished']);
    expect(found[0]?.message).toBe(
      'the platform has none of the 5 objects of the state any more, and this plan creates them again: ' +
        'production.compose.s0, production.compose.s1, production.compose.s2, staging, staging.compose.web',
    );
    expect(found[0]?.remedy).toBe(
      'Check the address of the platform: another server may answer there, or one that was restored from an older backup. ' +
        'If the objects are really gone, apply needs --allow-mass-recreate.',
    );
    expect(made.requests('POST')).toEqual([]);
    expect(notesOf(await made.plan(text(3))).map(({ code, severity }) => [code, severity])).toEqual([
      ['vanished', 'warning'],
    ]);
  });

  test('is refused when only the organization is there as ever', async () => {
    const shared = `${text(3)}organizations: { Organization: {} }\n`;
    const made = await anotherServer(shared);
    const found = await refusal(made, () => made.apply(shared, ordinary));
    expect(found.map(({ code }) => code)).toEqual(['vanished']);
    expect(found[0]?.message).toContain(
      'the platform has none of the 5 objects that the state has in the project any more, and this plan creates them again: ',
    );
    expect(made.requests('POST')).toEqual([]);
  });

  test('is refused when the default environment has another id too', async () => {
    const made = await anotherServer(text(2));
    const { state } = made.store;
    const record = state?.resources['production'];
    if (state === undefined || record === undefined) throw new Error('nothing was applied');
    made.store.state = { ...state, resources: { ...state.resources, production: { ...record, id: 'env_elsewhere' } } };
    const found = await refusal(made, () => made.apply(text(2), ordinary));
    expect(found.map(({ code }) => code)).toEqual(['vanished']);
  });

  test('is applied with --allow-mass-recreate', async () => {
    const made = await anotherServer(text(3));
    await made.apply(text(3), { ...ordinary, massRecreation: true });
    expect(rowsIn(made, 'compose')).toHaveLength(4);
    await plansNothing(made, text(3));
  });

  test('is refused when two of two services vanished, and applied when two of three did', async () => {
    const two = bench();
    await two.apply(head + production(2), everything);
    await without(two, 2);
    expect((await refusal(two, () => two.apply(head + production(2), ordinary))).map(({ code }) => code)).toEqual([
      'vanished',
    ]);
    const three = bench();
    await three.apply(head + production(3), everything);
    await without(three, 2);
    await three.apply(head + production(3));
    await plansNothing(three, head + production(3));
  });

  test('is refused when 4 of 12 of one kind vanished, and applied when 3 did', async () => {
    const made = bench();
    await made.apply(head + production(12), everything);
    await without(made, 4);
    const [found] = await refusal(made, () => made.apply(head + production(12), ordinary));
    expect(found?.message).toContain('the platform lacks 4 of 12 resources of the kind compose (33 %)');
    const less = bench();
    await less.apply(head + production(12), everything);
    await without(less, 3);
    await less.apply(head + production(12));
    await plansNothing(less, head + production(12));
  });

  test('is applied when the single object of a state vanished, with what is below it', async () => {
    const made = bench();
    const one = `${head}environments: { production: { compose: { shop: { ${block.slice(1, -1)}, domains: { a.example.com: { serviceName: web }, b.example.com: { serviceName: web } } } } } }\n`;
    await made.apply(one, everything);
    await without(made, 1);
    await made.apply(one);
    expect(rowsIn(made, 'domain')).toHaveLength(2);
    await plansNothing(made, one);
  });

  test('counts only what is created again: destroy and a removed block need no flag', async () => {
    const made = await anotherServer(text(3));
    await made.apply(`${head}environments: { production: {} }\n`, ordinary);
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual(['production']);
    const other = await anotherServer(text(3));
    await other.destroy(text(3));
    expect(rowsIn(other, 'compose')).toEqual([]);
  });
});

describe('the command line', () => {
  const open = places();

  test('K7: has a flag of its own', async () => {
    const place = await open(production(2));
    const composeIds = ['s0', 's1'].map((name) => place.idOf(`production.compose.${name}`));
    for (const composeId of composeIds) {
      await place.emulator.act('compose.delete', { composeId, deleteVolumes: false });
    }
    place.rewrite(production(2));
    const run = (...words: string[]) =>
      trueup(['apply', '--auto-approve', ...words], { cwd: place.folder, env: { TRUEUP_API_KEY: apiKey } });
    const refused = await run('--allow-mass-delete', '--allow-data-loss', '--adopt');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('error[vanished]');
    expect((await run('--allow-mass-recreate')).code).toBe(0);
    expect((await run()).out).toContain('No changes');
  });
});
