import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { adoptOnly } from '../../src/manifest/required.ts';
import { planted, repository, stages, withMistake } from '../support/planted-mistakes.ts';
import { validationOf } from '../support/stages.ts';

/**
 * One mistake each in the repository of the example: `validate` of each stage that has it names it at the value, and at each use
 * that led there. Stages without the mistake report nothing.
 */

test('are at least 80', () => {
  expect(planted.length).toBeGreaterThanOrEqual(80);
});

describe('is named at its value and its use', () => {
  test.each(planted)('$title', async (mistake) => {
    const { code, says, within } = mistake;
    const files = withMistake(mistake);
    const marks: Record<'§' | '¤', string[]> = { '§': [], '¤': [] };
    for (const [file, text] of Object.entries(files)) {
      for (const [index, mark] of [...text.matchAll(/[§¤]/g)].entries()) {
        const lines = text.slice(0, mark.index).split('\n');
        const before = lines.slice(0, -1).join('').match(/[§¤]/g)?.length ?? 0;
        const column = (lines.at(-1) ?? '').length + 1 - (index - before);
        marks[mark[0] as '§' | '¤'].push(`${file}:${lines.length}:${column}`);
      }
      files[file] = text.replaceAll(/[§¤]/g, '');
    }
    const [at = ''] = marks['§'];
    const expected = marks['¤'].length === 0 ? [`${at}: `] : marks['¤'].map((use) => `${at} used at ${use}: `);
    for (const stage of stages) {
      const { manifest, diagnostics } = await validationOf(files, stage);
      const found = manifest === undefined ? diagnostics : [...diagnostics, ...adoptOnly(manifest.resources)];
      const named = found.filter((one) => one.code === code).map(textOf);
      if (!within.includes(stage)) {
        expect(found.map(textOf), stage).toEqual([]);
        continue;
      }
      const there = named.filter((text) => expected.some((begin) => text.startsWith(begin))).join('\n');
      expect(there, `${stage}\n${found.map(textOf).join('\n')}`).toContain(says);
    }
  });
});

/** A problem in one line: its place, its uses, its sentence and its remedy. */
function textOf({ position, message, remedy = '' }: Diagnostic): string {
  const placeOf = ({ file, line, column }: NonNullable<Diagnostic['position']>) => `${file}:${line}:${column}`;
  const uses = (position?.uses ?? []).map((one) => ` used at ${placeOf(one)}`).join('');
  return `${position === undefined ? 'nowhere' : placeOf(position)}${uses}: ${message} -> ${remedy}`;
}

test('a shared file that cannot be read is the one mistake: what it holds is not missed', async () => {
  const files = { ...repository, 'shop.yaml': `${repository['shop.yaml']}more: [\n` };
  const { diagnostics } = await validationOf(files, 'production.yaml');
  expect(diagnostics.map(({ code, position }) => `${code} ${position?.file}`)).toEqual(['yaml-syntax shop.yaml']);
});
