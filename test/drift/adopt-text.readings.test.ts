import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as Tree from '../../src/manifest/read-tree.ts';
import { adoptDrift } from '../../src/drift/adopt.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { bench, head } from '../support/world.ts';

const readings = vi.hoisted(() => ({ count: 0 }));

vi.mock('../../src/manifest/read-tree.ts', async (original) => {
  const tree = await original<typeof Tree>();
  return {
    ...tree,
    readTree: (...input: Parameters<typeof tree.readTree>) => {
      if (input[0] === 'trueup.yaml') readings.count += 1;
      return tree.readTree(...input);
    },
  };
});

/** Adopts another image of so many services of one file; gives how often that file was read. */
async function adoptImages(count: number): Promise<number> {
  const text = (tag: number) => {
    const block = (name: number) =>
      `      r${name}:\n        dockerImage: redis:${tag}\n        databasePassword: \${secret:PW}\n`;
    return `${head}environments:\n  production:\n    redis:\n${Array.from({ length: count }, (_, at) => block(at)).join('')}`;
  };
  const made = bench();
  const other = bench({ emulator: made.emulator, clock: made.clock });
  for (const one of [made, other]) one.secrets['PW'] = 'correct-horse-battery';
  await made.apply(text(7));
  await other.apply(text(8), { adoption: true, dataLoss: true });
  mkdirSync(made.folder, { recursive: true });
  writeFileSync(join(made.folder, 'trueup.yaml'), text(7));
  const env = { TRUEUP_SECRET_PW: 'correct-horse-battery' };
  const manifest = await made.manifest(text(7));
  readings.count = 0;
  const result = await adoptDrift(manifest, made.world(), {
    options: {
      folder: made.folder,
      file: 'trueup.yaml',
      variables: new Map<string, string>(),
      env,
      redactor: createRedactor(),
      kinds,
    },
    now: made.clock.wall(),
    request: { subjects: [], isAll: true, writes: false },
  });
  expect(result.files).toEqual([{ path: 'trueup.yaml', before: text(7), after: text(8) }]);
  return readings.count;
}

test('adopting more values of a file does not read it more often', async () => {
  expect(await adoptImages(6)).toBe(await adoptImages(2));
});
