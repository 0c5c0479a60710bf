import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../../src/cli/completion-scripts.ts';
import { inShell, quote } from '../cli/shell.ts';

const hostile = ['"$(touch ran)"', '"`touch ran`"', `"';touch ran;'"`, '"é$(touch ran)"', String.raw`"\$(touch ran)"`];
const words = [`"prod`, `'prod`, `prod`, `pro"d`, `pro'd`, `$'prod`];

const folder = mkdtempSync(join(tmpdir(), 'trueup-completion-'));
const bash = (script: string) =>
  inShell('bash', ['--norc', '--noprofile', '-c'], script, {
    env: { PATH: folder, HOME: folder, LC_ALL: 'C' },
    cwd: folder,
  });

/** The completion of a word, where `trueup` offers one address. */
function completed(key: string, word: string): Promise<string> {
  const address = `production.compose.shop.files[${key}]`;
  writeFileSync(join(folder, 'script'), completionScript('bash'));
  writeFileSync(join(folder, 'trueup'), `#!/bin/sh\nprintf '%s\\n' ${quote(address)}\n`);
  chmodSync(join(folder, 'trueup'), 0o755);
  return bash(
    `source ./script; COMP_WORDS=(trueup import ${quote(word)}); COMP_CWORD=2; _trueup trueup; printf %s "$COMPREPLY"`,
  );
}

describe('S15: an address completed in a shell runs no command', () => {
  it.each(words)('S15: bash, at the word %s', async (word) => {
    const open = /^[^'"]*/.exec(word)?.[0] ?? '';
    for (const key of hostile) {
      const reply = await completed(key, word);
      // readline replaces the word behind its opening quote.
      const line = `${open}${word.slice(open.length, open.length + 1)}${reply}`;
      const evaluations = ['', '"', "'"].map((end) => `eval ${quote(`: ${line}${end}`)} 2>/dev/null`);
      await bash(`${evaluations.join('\n')}\ntrue`);
      expect(existsSync(join(folder, 'ran')), line).toBe(false);
    }
  });

  it('S15: bash escapes the quotes of an ordinary address in double quotes', async () => {
    expect(await completed('"shop.example.com"', '"prod')).toBe(
      String.raw`production.compose.shop.files[\"shop.example.com\"]`,
    );
  });
});
