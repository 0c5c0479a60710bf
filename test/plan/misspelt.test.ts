import { describe, expect, test } from 'vitest';
import { everything, notesOf, plansNothing } from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

/** A slip in the name of an environment: one suggestion, at its line. */

const sections = (indent: string) =>
  `${indent}compose:\n` +
  ['a', 'b', 'c'].map((key) => `${indent}  ${key}: { ${composeBody} }\n`).join('') +
  `${indent}redis:\n${indent}  cache: { dockerImage: "redis:8", databasePassword: correct-horse-1 }\n` +
  `${indent}application:\n${indent}  web: { source: { type: docker, image: nginx } }\n`;
const manifest = (...names: readonly string[]) =>
  `${head}environments:\n${names.map((name) => `  ${name}:\n${sections('    ')}`).join('')}`;

const suggestions = (made: ReturnType<typeof bench>, text: string) =>
  made.plan(text).then((planned) => notesOf(planned).filter(({ code }) => ['renamed', 'similar-name'].includes(code)));

describe('M5: an environment of nearly the same name as', () => {
  test('the default one, without a state, is noted once, at its line', async () => {
    expect(await suggestions(bench(), manifest('prodution'))).toMatchObject([
      {
        code: 'similar-name',
        message: 'prodution is created, and there is production, which no block declares',
        remedy: 'Did you mean production? Then write that in place of prodution.',
        position: { line: 5 },
      },
    ]);
  });

  test('one of the state is noted once, without a note for each service', async () => {
    const made = bench();
    await made.apply(manifest('production', 'staging'), everything);
    expect(await suggestions(made, manifest('prodution', 'staging'))).toMatchObject([
      { code: 'similar-name', remedy: 'Did you mean production? Then write that in place of prodution.' },
    ]);
    expect(await suggestions(made, manifest('production', 'stagin'))).toMatchObject([
      {
        remedy:
          'Did you mean staging? Then write that in place of stagin. If it is its new name, write moved: [{ from: "staging", to: "stagin" }].',
      },
    ]);
    await plansNothing(made, manifest('production', 'staging'));
  });

  test('one that a person made is noted', async () => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'preview', projectId: 'prj_1' });
    expect(await suggestions(made, manifest('production', 'priview'))).toMatchObject([
      { remedy: 'Did you mean preview? Then write that in place of priview.' },
    ]);
  });

  test.each(['live', 'preview2', 'production'])('none is there: nothing is noted of %s', async (name) => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'preview1', projectId: 'prj_1' });
    expect(await suggestions(made, manifest(name))).toEqual([]);
  });

  test('another name in place of the default one is one note for all services', async () => {
    const made = bench();
    await made.apply(manifest('production'), everything);
    const [found, ...more] = await suggestions(made, manifest('live'));
    expect(more).toEqual([]);
    expect(found?.message).toBe(
      'resources of production are deleted, and resources of the same kinds are created in live',
    );
  });
});
