import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startController } from '../test/support/browser-controller.ts';
import { openBrowser } from './support/browser.ts';
import { examplePages } from './support/example-pages.ts';

/** Writes the pictures of docs/review.md and of the pages of a controller; needs Chromium, and PostgreSQL. With a folder, writes every page at every width to it. */

const [folder] = process.argv.slice(2);
const pictures = resolve(import.meta.dirname, '../docs/pictures');
const pages = await examplePages();
const browser = await openBrowser();

type Capture = readonly [name: keyof typeof pages, width: number, height: number | 'whole', scheme: 'light' | 'dark'];

const kept: readonly Capture[] = [
  ['plan', 1_200, 900, 'light'],
  ['apply', 800, 900, 'dark'],
  ['plan', 360, 780, 'light'],
];
const all: readonly Capture[] = (['plan', 'apply', 'drift'] as const).flatMap((name) =>
  [360, 800, 1_440].flatMap((width) =>
    (['light', 'dark'] as const).map((scheme): Capture => [name, width, 'whole', scheme]),
  ),
);

const scratch = mkdtempSync(join(tmpdir(), 'trueup-pictures-'));
for (const [name, width, height, colorScheme] of folder === undefined ? kept : all) {
  const file = join(scratch, `${name}.html`);
  writeFileSync(file, pages[name]);
  const viewport = { width, height: height === 'whole' ? 900 : height };
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(pathToFileURL(file).href);
  const path = join(folder ?? pictures, `${name}-${width}-${colorScheme}.png`);
  await page.screenshot({ path, fullPage: height === 'whole' });
  await page.close();
}

const { controller, stop } = await startController();
const ofController: readonly (readonly [name: string, width: number, scheme: 'light' | 'dark'])[] =
  folder === undefined
    ? [
        ['home', 1_200, 'light'],
        ['plan', 360, 'light'],
        ['stopped', 1_200, 'dark'],
      ]
    : Object.keys(controller.pages).flatMap((name) =>
        [360, 768, 1_440].flatMap((width) => [[name, width, 'light'] as const, [name, width, 'dark'] as const]),
      );
for (const [name, width, colorScheme] of ofController) {
  const viewport = { width, height: 800 };
  const page = await browser.newPage({ viewport, colorScheme, extraHTTPHeaders: { ...controller.headers } });
  await page.goto(controller.address + (controller.pages[name] ?? '/'));
  const path = join(folder ?? pictures, `controller-${name}-${width}-${colorScheme}.png`);
  await page.screenshot({ path, fullPage: folder !== undefined });
  await page.close();
}
await stop();
await browser.close();
