import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { freePort } from './free-port.ts';
import { continued, endOf, expectLines, partsOf } from './page-parts.ts';
import { runScript } from './pipelines.ts';
import { root } from './samples.ts';
import { asTyped, isElsewhere, stageOf } from './shell-samples.ts';
import type { Trial } from './yaml-samples.ts';

/** Runs the samples of pages with the installed package, in a folder of their own. */

/** The folder with the installed packages, and the Node that runs them. */
interface Installed {
  readonly node: string;
  readonly modules: string;
  /** The program prints the warnings of Node too, and loads without its code cache. */
  readonly isDebugging?: boolean;
}

/** A folder with files, where the installed program is found. */
function folderWith(files: Readonly<Record<string, string>>, { node, modules, isDebugging = false }: Installed) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-page-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  const gitconfig = '[user]\nname = ops\nemail = ops@example.test\n';
  for (const [path, text] of Object.entries({ '.gitconfig': gitconfig, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const path = [join(folder, 'bin'), dirname(node), join(modules, '.bin'), process.env.PATH];
  return { folder, env: { PATH: path.join(delimiter), HOME: folder, ...(isDebugging ? { TRUEUP_DEBUG: '1' } : {}) } };
}

/** Values that no page prints. */
const hidden = /correct-horse-battery|click-horse-1/;

/** Runs the blocks of a page, one after the other. Gives their number. */
export async function followPage(
  page: string,
  installed: Installed,
  receiver: { readonly url: string },
): Promise<number> {
  const platform = await serve(createEmulator({ profile: 'dokploy', apiKey: 'a-key' }));
  const stage = stageOf(page, { url: platform.url, port: await freePort(), receiver: receiver.url });
  const { folder, env } = folderWith(stage.files, installed);
  async function run(commands: string) {
    const { code, out } = await runScript(continued(commands, folder), { folder, env });
    if (code !== 0) throw new Error(`exit code ${code} of:\n${commands}\n${out}`);
    return out;
  }
  let blocks = 0;
  try {
    await run(stage.before[''] ?? '');
    for (const { commands, expected } of partsOf(readFileSync(join(root, page), 'utf8'))) {
      for (const [begins, first] of Object.entries(stage.before))
        if (begins !== '' && commands.startsWith(begins)) await run(first);
      if (isElsewhere(page, commands)) continue;
      blocks += 1;
      const out = await run(asTyped(commands, stage.words));
      expect(out).not.toMatch(/Warning:/);
      expect(out).not.toMatch(hidden);
      const quiet = commands
        .split('\n')
        .filter((line) => /\btrueup .*plan\b.*# (no changes|nothing to do)\.?$/i.test(line));
      expect([...out.matchAll(/^No changes/gm)].length, commands).toBeGreaterThanOrEqual(quiet.length);
      if (stage.isCompared === true) expectLines(out, expected);
    }
    return blocks;
  } finally {
    if (stage.background !== undefined) endOf(folder, stage.background);
    await platform.close();
  }
}

/** A text without the quoted lines of files and without its line ends: both go by the width of the output. */
function unquoted(text: string): string {
  const lines = text.split('\n').filter((line) => !/^ *\d+ \| |^ +\| +\^+$/.test(line));
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** Reads a sample of YAML with the program. Gives what it printed. */
export async function tryYaml({ files, commands, prints }: Trial, installed: Installed): Promise<string> {
  const { folder, env } = folderWith(files, installed);
  const { code, out } = await runScript(commands, { folder, env });
  if (prints !== undefined) {
    expect(unquoted(out)).toContain(unquoted(prints));
    return out;
  }
  if (code !== 0) throw new Error(`exit code ${code}:\n${out}`);
  expect(out).not.toMatch(/^error\b/m);
  return out;
}
