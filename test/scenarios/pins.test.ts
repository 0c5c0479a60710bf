import { describe, expect, test } from 'vitest';
import { importObject } from '../../src/workflow/import-object.ts';
import { byHand, idOf, plansNothing, refusal } from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** Objects that the user names by their id: in the manifest, or on the command line. */

const address = 'production.postgres.main';
const one = production(database());

describe('id:', () => {
  test('that contradicts the state is an error, and not another object from now on', async () => {
    const made = bench();
    await made.apply(one);
    const known = idOf(made, address);
    const other = await byHand(made, { name: 'other' });
    const [found] = await refusal(made, () => made.plan(production(database(`id: ${other}, description: x`))));
    expect(found?.code).toBe('ambiguous');
    for (const id of [known, other]) expect(found?.message).toContain(id);
  });

  test('that an import contradicts is an error, and the state is as before', async () => {
    const made = bench();
    const [a, b] = [await byHand(made, { name: 'a' }), await byHand(made, { name: 'b' })];
    const text = production(database(`id: ${a}`));
    const found = await refusal(made, async () => importObject(await made.manifest(text), made.world(), address, b));
    expect(found.map((item) => item.message).join()).toContain(a);
    expect(made.store.state).toBeUndefined();
  });

  test('that another address has in the state names that address, and state mv', async () => {
    const made = bench();
    await made.apply(one);
    const known = idOf(made, address);
    const renamed = production(database(`id: ${known}`)).replace('main:', 'shop:');
    const found = await refusal(made, () => made.plan(renamed));
    expect(found.map(({ message, remedy }) => [message, remedy])).toEqual([
      [
        `${address} manages ${known} already`,
        `trueup state mv '${address}' 'production.postgres.shop' gives it the other address.`,
      ],
    ]);
  });

  test('of nothing is an error', async () => {
    const made = bench();
    const found = await refusal(made, () => made.plan(production(database('id: nowhere'))));
    expect(found.map((item) => [item.code, item.address])).toEqual([['not-found', address]]);
  });
});

describe('an import', () => {
  test('ties an address to an object and changes nothing', async () => {
    const made = bench();
    const id = await byHand(made, { name: 'old' });
    const text = production(database('name: old'));
    const before = JSON.stringify(made.emulator.world);
    await importObject(await made.manifest(text), made.world(), address, id);
    expect(JSON.stringify(made.emulator.world)).toBe(before);
    expect(idOf(made, address)).toBe(id);
    await made.apply(text);
    await plansNothing(made, text);
  });

  test('of an address without a block is an error, with the address that was probably meant', async () => {
    const made = bench();
    const imported = (at: string) => async () => importObject(await made.manifest(one), made.world(), at, 'id');
    const remedyFor = async (at: string) => (await refusal(made, imported(at))).map(({ remedy }) => remedy);
    expect(await remedyFor(`${address}n`)).toEqual([`Declare it first. Did you mean ${address}?`]);
    expect(await remedyFor('nowhere')).toEqual(['Declare it first. trueup graph lists the addresses.']);
  });

  test('of an id that is not there says what to give to import, and nothing of a line id:', async () => {
    const made = bench();
    const found = await refusal(made, async () =>
      importObject(await made.manifest(one), made.world(), address, 'none'),
    );
    expect(found.map(({ code, message, remedy }) => [code, message, remedy])).toEqual([
      [
        'not-found',
        'the platform has no postgres with id none',
        'Give the id of an object of this project: docs/bring-your-server.md says where ids are.',
      ],
    ]);
  });

  test('of an address that has an object is an error', async () => {
    const made = bench();
    await made.apply(one);
    const known = idOf(made, address);
    const other = await byHand(made, { name: 'other' });
    const found = await refusal(made, async () => importObject(await made.manifest(one), made.world(), address, other));
    expect(found.map(({ message, remedy }) => [message, remedy])).toEqual([
      [
        `${address} manages ${known} already`,
        `Compare ${known} with the object that you mean. To manage that instead, run trueup state rm '${address}' first.`,
      ],
    ]);
    expect(idOf(made, address)).toBe(known);
  });

  test('of an object that another address has names that address, and says nothing of id:', async () => {
    const made = bench();
    await made.apply(one);
    const known = idOf(made, address);
    const both = production(database() + database('', 'shop').replace('    postgres:\n', ''));
    const to = 'production.postgres.shop';
    const found = await refusal(made, async () => importObject(await made.manifest(both), made.world(), to, known));
    expect(found.map(({ message, remedy }) => [message, remedy])).toEqual([
      [
        `${address} manages ${known} already`,
        `One object has one block: remove one of the two. trueup state mv '${address}' '${to}' gives it the other address.`,
      ],
    ]);
  });
});
