import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IBufferCell } from '@xterm/headless';
import xterm from '@xterm/headless';
import { pictureOf } from './support/picture.ts';
import { emulate, root } from './support/trueup.ts';

/** Draws docs/pictures/progress.svg: a terminal in the middle of an apply of examples/shop. Needs `script` of util-linux. */

const columns = 100;
const rows = 30;
const afterMs = 9_000;

const platform = await emulate(['--latency', '200', '--deploy-time', '4000']);
const folder = mkdtempSync(join(tmpdir(), 'trueup-picture-'));
try {
  cpSync(join(root, 'examples/shop'), folder, { recursive: true });
  const manifest = join(folder, 'trueup.yaml');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/^platform: .*$/m, `platform: { url: "${platform.url}" }`));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
  const texts = files.map((path) => readFileSync(join(folder, path), 'utf8'));
  const secrets = texts.flatMap((one) => [...one.matchAll(/secret:(\w+)/g)].map(([, name]) => name));
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const program = join(root, 'bin/trueup.js');
  const command = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' '${program}' -C '${folder}' apply --auto-approve --adopt >/dev/null`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: {
      PATH: process.env.PATH,
      TERM: 'xterm',
      TRUEUP_API_KEY: platform.apiKey,
      ...Object.fromEntries(secrets.map((name) => [`TRUEUP_SECRET_${name}`, 'only-for-the-picture-7431'])),
    },
  });
  child.stdout.on('data', (bytes: Uint8Array) => terminal.write(bytes));
  const ended = once(child, 'close');
  await new Promise((resolve) => {
    setTimeout(resolve, afterMs);
  });
  await new Promise<void>((resolve) => terminal.write('', resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: rows }, (_none, at) => lineAt(active.baseY + at));
  child.kill('SIGINT');
  await ended;
  const title =
    'An apply on a terminal: finished actions above, running and waiting ones below, and the counts of requests';
  writeFileSync(join(root, 'docs/pictures/progress.svg'), pictureOf(lines.join('\n'), { title, columns }));

  function lineAt(y: number): string {
    const line = active.getLine(y);
    let drawn = '';
    for (let x = 0; x < columns; x++) {
      const cell = line?.getCell(x);
      if (cell !== undefined) drawn += coloured(cell);
    }
    // eslint-disable-next-line no-control-regex -- the codes of a terminal begin with it
    return drawn.replaceAll(/(?:\u001b\[\d+m| )+$/g, '');
  }
} finally {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A character of a terminal, with the code of its colour. */
function coloured(cell: IBufferCell): string {
  const text = cell.getChars() === '' ? ' ' : cell.getChars();
  const code = cell.isFgPalette() ? 30 + cell.getFgColor() : cell.isBold() !== 0 ? 1 : cell.isDim() !== 0 ? 2 : 0;
  return code === 0 ? text : `\u001b[${code}m${text}\u001b[39m`;
}
