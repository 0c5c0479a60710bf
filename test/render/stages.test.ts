import { describe, expect, test } from 'vitest';
import { anyDocument } from '../../src/render/document-schemas.ts';
import type { Screen } from '../../src/render/output-format.ts';
import { noSite } from '../../src/render/report-links.ts';
import { exitCodeOf, sectionSite, stagesFormats } from '../../src/render/stages.ts';
import { plainStyle } from '../../src/render/style.ts';

const end = (stage: string, exitCode: number | undefined, printed = '', words?: string) => ({
  stage,
  file: `${stage}.yaml`,
  exitCode,
  printed,
  words,
});

function shown(format: string, ends: ReturnType<typeof end>[]): string {
  let text = '';
  const screen: Screen = {
    out: (more) => void (text += more),
    err: () => undefined,
    raw: () => undefined,
    clear: () => undefined,
    size: undefined,
    outStyle: plainStyle,
    errStyle: plainStyle,
    live: undefined,
    site: () => noSite,
  };
  stagesFormats[format]?.end(screen, ends, 'plan');
  return text;
}

describe('the exit code of several stages', () => {
  test.each([
    [[0, 0], 0],
    [[0, 8], 8],
    [[8, 2], 2],
    [[2, 0, 8], 2],
    [[2, 1], 1],
    [[0, 3, 1], 3],
    [[1, 3], 1],
    [[6, undefined], 6],
    [[0, undefined], 130],
    [[2, 130, 4], 130],
    [[8, 7, 5, 2], 7],
  ])('%j: %s', (codes, expected) => {
    expect(exitCodeOf(codes.map((exitCode) => ({ exitCode })))).toBe(expected);
  });
});

test('one line says how each stage ended', () => {
  const ends = [
    end('staging', 0, '', '2 to update'),
    end('eu', 2),
    end('us', 8),
    end('asia', 4),
    end('live', undefined),
  ];
  expect(shown('text', ends)).toBe(
    '\nstaging: 2 to update; eu: changes; us: known drift; asia: failed, exit code 4; live: not run\n',
  );
});

test('one document holds those of the stages, indented or one per line', () => {
  const error = { format: 'trueup/error', version: 1, exitCode: 3, diagnostics: [] };
  const ends = [
    end('staging', 0, `${JSON.stringify(error, null, 2)}\n`.repeat(2)),
    end('eu', 3, `${JSON.stringify(error)}\n${JSON.stringify(error)}\n`),
    end('live', undefined),
  ];
  expect(anyDocument.parse(JSON.parse(shown('json', ends)))).toEqual({
    format: 'trueup/stages',
    version: 1,
    exitCode: 3,
    stages: [
      { stage: 'staging', file: 'staging.yaml', exitCode: 0, documents: [error, error] },
      { stage: 'eu', file: 'eu.yaml', exitCode: 3, documents: [error, error] },
    ],
    notRun: ['live'],
  });
});

test('one comment has a section per stage, and no more than a comment takes', () => {
  const site = { ...noSite, key: 'k' };
  const { maxBytes = 0 } = sectionSite(site, end('staging', 0), 3);
  const ends = ['staging', 'eu', 'live'].map((stage) =>
    end(stage, 0, `### \`${stage}\`\n${'x'.repeat(maxBytes - 20)}\n`),
  );
  const text = shown('markdown', ends);
  expect(text).toMatch(/^<!-- trueup:plan:local -->\n\n## Trueup plan: 3 stages\n\n- `staging`: `done`\n/);
  expect(text.match(/^### /gm)).toHaveLength(3);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
});
