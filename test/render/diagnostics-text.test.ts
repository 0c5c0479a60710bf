import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { columnsOf } from '../../src/render/columns.ts';
import { renderDiagnostic, renderDiagnostics } from '../../src/render/diagnostics-text.ts';
import { plainStyle } from '../../src/render/style.ts';

/** The form of errors, on terminals of every width. */

const position = { file: 'trueup.yaml', line: 12, column: 9 };

/** An error about the part of a line between two marks. */
function about(marked: string): Diagnostic {
  const [before = '', part = '', after = ''] = marked.split('§');
  const quote = { text: before + part + after, from: before.length, to: before.length + part.length };
  const item = diagnostic('wrong-type', 'port must be a number, got "eighty"', {
    position,
    address: 'production.compose.shop',
    remedy: 'Write for example port: 8080.',
  });
  return { ...item, quote };
}

/** The quoted line and the columns that the carets stand under. */
function carets(marked: string, width?: number): { line: string; from: number; to: number } {
  const lines = renderDiagnostic(about(marked), { ...plainStyle, width }).filter((line) => line.includes(' | '));
  const [line = '', below = ''] = lines;
  expect(Math.max(columnsOf(line), columnsOf(below))).toBeLessThanOrEqual(width ?? 120);
  return { line, from: below.indexOf('^'), to: below.lastIndexOf('^') + 1 };
}

test('U12: an error has its place, a sentence, the line with carets, and a remedy', () => {
  expect(renderDiagnostic(about('        port: §eighty§'), plainStyle)).toEqual([
    'error[wrong-type] trueup.yaml:12:9 production.compose.shop',
    'port must be a number, got "eighty"',
    '  12 |         port: eighty',
    '     |               ^^^^^^',
    '  -> Write for example port: 8080.',
  ]);
});

test('M11: lines to paste stand below the sentence of a remedy, and are never folded', () => {
  const line = `  A: ${'long '.repeat(20)}x`;
  const item = { ...about('        env: §[]§'), remedy: `Write this instead:\nenv:\n${line}\n  B: \u0007` };
  expect(renderDiagnostic(item, { ...plainStyle, width: 60 }).slice(-4)).toEqual([
    '  -> Write this instead:',
    '     env:',
    `     ${line}`,
    '       B: \\x07',
  ]);
});

describe('U12: carets stand under the part that is meant', () => {
  test.each([
    ['behind wide characters', 'host: 店舗, port: §eighty§', { from: 25, to: 31 }],
    ['below wide characters', 'host: §店舗§', { from: 13, to: 17 }],
    ['behind combining characters', 'cafe\u0301: §x§', { from: 13, to: 14 }],
    ['behind an emoji', '\u{1F680}: §x§', { from: 11, to: 12 }],
    ['behind characters that reorder text, which are written out', 'a\u202eb: §x§', { from: 17, to: 18 }],
    ['behind tabs, which are written out', '\tport: §x§', { from: 15, to: 16 }],
    ['at the end of a line', 'port: 80§§', { from: 15, to: 16 }],
  ])('%s', (_title, marked, { from, to }) => {
    expect(carets(marked)).toMatchObject({ from, to });
  });

  test.each([80, 120, 30])('within %i columns, wherever the line is cut', (width) => {
    for (const before of [0, 10, 60, 500]) {
      for (const part of [1, 10, 400]) {
        for (const after of [0, 10, 60, 500]) {
          const marked = `${'店'.repeat(before)}§${'x'.repeat(part)}§${'y'.repeat(after)}`;
          const { line, from, to } = carets(marked, width);
          const columns = Array.from(line).flatMap((sign) => (columnsOf(sign) === 2 ? [sign, ''] : [sign]));
          expect(columns.slice(from, to).join('')).toMatch(/^x+…?$/);
          expect(columns.slice(0, from).join('')).not.toContain('x');
        }
      }
    }
  });

  test('in the colour of the severity, and of nothing else', () => {
    const paint = (tone: string, text: string) => `<${tone}>${text}</>`;
    const lines = renderDiagnostic(about('port: §eighty§'), { ...plainStyle, paint });
    expect(lines.slice(2, 4)).toEqual(['<faint>  12 |</> port: eighty', '<faint>     |</>       <bad>^^^^^^</>']);
  });
});

describe('U12: the end of a list of errors', () => {
  const errors = (count: number) => Array.from({ length: count }, () => diagnostic('wrong-type', 'x'));
  const lastLine = (items: readonly Diagnostic[]) => renderDiagnostics(items, plainStyle).trimEnd().split('\n').at(-1);

  test('counts them by severity', () => {
    const warning = diagnostic('overlap', 'x');
    expect(lastLine([...errors(2), warning])).toBe('2 errors, 1 warning');
    expect(lastLine([warning, diagnostic('renamed', 'x')])).toBe('1 warning, 1 note');
  });

  test('does not count a single one', () => {
    expect(renderDiagnostics(errors(1), plainStyle)).toBe('error[wrong-type]\nx\n');
    expect(renderDiagnostics([], plainStyle)).toBe('');
  });

  test('stands behind the first 50, and says how many more there are', () => {
    const text = renderDiagnostics(errors(5_000), plainStyle);
    expect(text.match(/^error\[/gm)).toHaveLength(50);
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      '5000 errors; the first 50 are shown, --full or --format json shows all',
    );
    const full = renderDiagnostics(errors(5_000), { ...plainStyle, isFull: true });
    expect(full.match(/^error\[/gm)).toHaveLength(5_000);
    expect(full.trimEnd().split('\n').at(-1)).toBe('5000 errors');
  });
});
