import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maskText } from '../../src/secrets/looks-secret.ts';

/**
 * How well secrets are found in texts as people write them: 60 of the examples and tests, 40 in the manner of public
 * projects, 17 in other languages, and keys and values from the files of 60 more public projects, in which a person
 * marked what a reviewer would call a secret. In the files of this test a secret stands in ⟦brackets⟧.
 */

const maskEnvText = (text: string): string => maskText(text, { isEnv: true });

const root = join(import.meta.dirname, '../..');

interface Text {
  readonly name: string;
  readonly marked: string;
}

/** The texts of a file: each below a line with its name. */
function textsOf(file: string): Text[] {
  const [, ...texts] = readFileSync(join(import.meta.dirname, 'texts', file), 'utf8').split(/^=== /m);
  return texts.map((text) => ({ name: text.slice(0, text.indexOf('\n')), marked: text.slice(text.indexOf('\n') + 1) }));
}

/** Every file of the examples but what a run left beside them; they hold no secret. */
function examples(folder = join(root, 'examples')): Text[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === '.trueup') return [];
    const file = join(folder, name);
    if (statSync(file).isDirectory()) return examples(file);
    return name === 'README.md' ? [] : [{ name: file.slice(root.length + 1), marked: readFileSync(file, 'utf8') }];
  });
}

interface Measured {
  readonly secrets: number;
  /** Secrets that show. */
  readonly missed: readonly string[];
  /** Lines without a secret. */
  readonly lines: number;
  /** Those of them that are masked. */
  readonly wrong: readonly string[];
}

function measure(texts: readonly Text[]): Measured {
  const missed: string[] = [];
  const wrong: string[] = [];
  let [secrets, lines] = [0, 0];
  for (const { name, marked } of texts) {
    const raw = marked.replaceAll(/[⟦⟧]/g, '');
    const shown = (name.endsWith(', env') ? maskEnvText(raw) : maskText(raw)).split('\n');
    for (const [at, line] of marked.split('\n').entries()) {
      const found = [...line.matchAll(/⟦(.*?)⟧/g)].map(([, secret = '']) => secret);
      const now = shown[at] ?? '';
      secrets += found.length;
      const expected = line.replaceAll(/⟦.*?⟧/g, '(sensitive)');
      const shows = (secret: string) => now !== expected && (now.includes(secret) || !now.includes('(sensitive)'));
      missed.push(...found.filter(shows).map((secret) => `${name}: ${secret}`));
      if (found.length > 0) continue;
      lines++;
      if (now !== line) wrong.push(`${name}: ${line}`);
    }
  }
  return { secrets, missed, lines, wrong };
}

const own = [...examples(), ...textsOf('tests.txt')];
const others = textsOf('public-projects.txt');
const languages = textsOf('other-languages.txt');
const more = textsOf('more-public-projects.txt');

/** A row of the table in docs/secrets.md. */
function row(title: string, texts: readonly Text[], { secrets, missed, lines, wrong }: Measured): string {
  const cells = [title, texts.length, secrets, missed.length, Math.round(lines / 100) * 100, wrong.length];
  return `| ${cells.join(' | ')} |`;
}

test.each([
  ['of the examples and tests', own, 60, 0.01],
  ['in the manner of public projects', others, 40, 0.01],
  ['in XML, PHP, of servers and of commands', languages, 17, 0.01],
  ['of more public projects', more, 60, 0.002],
] as const)(
  'in texts %s almost no secret shows, and few lines without one are masked',
  (title, texts, count, maxWrong) => {
    const measured = measure(texts);
    expect(texts.length).toBeGreaterThanOrEqual(count);
    expect(measured.missed).toEqual([]);
    expect(measured.wrong.length / measured.lines, measured.wrong.join('\n')).toBeLessThan(maxWrong);
    const page = readFileSync(join(root, 'docs/secrets.md'), 'utf8').replaceAll(/ +/g, ' ');
    expect(page).toContain(row(title, texts, measured));
  },
);
