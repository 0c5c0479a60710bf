import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../../scripts/support/browser.ts';
import type { ProvidedPages } from './provided.ts';

const folder = mkdtempSync(join(tmpdir(), 'trueup-browser-'));
let browser: Browser;
const pages = inject('pages');

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** What the page did that it must not do: requests, messages of the console, broken policies, dialogs. */
let misdeeds: string[] = [];
afterEach(() => expect(misdeeds).toEqual([]));

/** Opens a page of a run from a file, as a reader does. */
async function open(name: keyof ProvidedPages, options: BrowserContextOptions = {}): Promise<Page> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pages[name]);
  const address = pathToFileURL(file).href;
  const context = await browser.newContext({ viewport: { width: 1_440, height: 1_000 }, ...options });
  const page = await context.newPage();
  misdeeds = [];
  page.on('request', (request) => {
    if (request.url() !== address) misdeeds.push(`request: ${request.url()}`);
  });
  page.on('console', (message) => misdeeds.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => misdeeds.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(address);
  return page;
}

/** The titles of the entries that show. */
const shown = (page: Page) => page.locator('.entry:visible').evaluateAll((all) => all.map(({ id }) => id));
const found = (page: Page) => page.locator('.found').textContent();
/** Entries as they are numbered in a plan of 17 changes. */
const count = 17;

describe('the filter', () => {
  it('finds words in addresses, fields and values, and says how many it found', async () => {
    const page = await open('plan');
    expect(await found(page)).toBe(`${count} of ${count} changes`);
    await page.fill('#words', 'LOG_LEVEL debug');
    expect(await found(page)).toBe(`1 of ${count} changes`);
    expect(await shown(page)).toHaveLength(1);
    expect(await page.locator('.group:visible').count()).toBe(1);
    await page.fill('#words', 'nowhere at all');
    expect(await found(page)).toBe(`0 of ${count} changes`);
    expect(await page.locator('.group:visible').count()).toBe(0);
  });

  it('narrows by action, kind and environment, all together, and is reset', async () => {
    const page = await open('plan');
    await page.locator('.chip.deploy input').uncheck();
    expect(await found(page)).toBe(`10 of ${count} changes`);
    await page.selectOption('#by-within', 'staging');
    expect(await found(page)).toBe(`3 of ${count} changes`);
    await page.selectOption('#by-kind', 'domain');
    expect(await found(page)).toBe(`1 of ${count} changes`);
    expect(await page.locator('nav ol ol li:visible').count()).toBe(1);
    expect(await page.locator('.level-changes .node:not(.dim)').count()).toBe(1);
    await page.click('text=Reset');
    await page.locator('.found', { hasText: `${count} of ${count} changes` }).waitFor();
    expect(await page.locator('.node.dim').count()).toBe(0);
  });

  it('works by keyboard alone: / moves to it, Enter stays on the page, Escape empties it', async () => {
    const page = await open('plan');
    await page.keyboard.press('/');
    await page.keyboard.type('redis');
    await page.keyboard.press('Enter');
    expect(await page.locator('#words').inputValue()).toBe('redis');
    expect(await page.locator('#words').evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await shown(page)).toHaveLength(3);
    await page.keyboard.press('Escape');
    await page.locator('.found', { hasText: `${count} of ${count} changes` }).waitFor();
    expect(await shown(page)).toHaveLength(count);
  });

  it('finds by result after an apply, and by status after drift', async () => {
    const applied = await open('apply');
    expect(await applied.locator('.result.done').count()).toBe(count);
    const drift = await open('drift');
    expect(await found(drift)).toBe('2 of 2 findings');
    await drift.selectOption('#by-kind', 'redis');
    expect(await found(drift)).toBe('1 of 2 findings');
  });
});

describe('folding', () => {
  it('opens and closes all groups, or one by its title', async () => {
    const page = await open('plan');
    await page.click('text=Close all');
    expect(await shown(page)).toEqual([]);
    const first = page.locator('.group > summary').first();
    await first.focus();
    await page.keyboard.press('Enter');
    expect(await shown(page)).not.toEqual([]);
    await page.keyboard.press('Enter');
    expect(await shown(page)).toEqual([]);
    await page.click('text=Open all');
    expect(await shown(page)).toHaveLength(count);
  });

  it('shows what a link leads to, also when it is folded and filtered away', async () => {
    const page = await open('plan');
    await page.fill('#words', 'admin');
    await page.click('text=Close all');
    await page.locator('#first a').first().click();
    const target = page.locator(':target');
    await target.waitFor(); // the browser tells the page of the new address later
    expect(await target.getAttribute('data-action')).toBe('delete');
    expect(await found(page)).toBe(`${count} of ${count} changes`);
  });
});

describe('the drawing', () => {
  it('has three levels, and one shows at a time', async () => {
    const page = await open('plan');
    for (const level of ['services', 'resources', 'changes']) {
      await page.check(`#level-${level}`);
      expect(await page.locator('.level:visible').count()).toBe(1);
      expect(await page.locator(`.level-${level}`).isVisible()).toBe(true);
    }
    await page.locator('.level-changes .drawing > summary').first().click();
    expect(await page.locator('.level-changes svg:visible').count()).toBe(1);
  });

  it('marks the lines of the box that has the focus, and leads to its resource', async () => {
    const page = await open('plan');
    const box = page.locator('.level-changes svg a', { hasText: 'compose.shop' }).first();
    await box.focus();
    expect(await page.locator('.edge.near').count()).toBe(2);
    await page.keyboard.press('Enter');
    expect(await page.locator(':target').getAttribute('data-kind')).toBe('compose');
  });
});

describe('the form of the page', () => {
  const background = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

  it('is light or dark by the preference of the reader, and by its switch', async () => {
    const page = await open('plan', { colorScheme: 'dark' });
    const dark = await background(page);
    await page.locator('#theme-light').check();
    const light = await background(page);
    expect(light).not.toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('#theme-auto').check();
    expect(await background(page)).toBe(light);
    await page.locator('#theme-dark').check();
    expect(await background(page)).toBe(dark);
  });

  it.each(['plan', 'apply', 'drift', 'hostile', 'hostileDrift'] as const)(
    'fits 360, 800 and 1,440 pixels: %s',
    async (name) => {
      for (const width of [360, 800, 1_440]) {
        const page = await open(name, { viewport: { width, height: 900 } });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    },
  );

  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
  it.each(['plan', 'apply', 'drift', 'hostile'] as const)(
    'has names, headings in order and contrast for everybody: %s',
    async (name) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [360, 1_440]) {
          const page = await open(name, { colorScheme, viewport: { width, height: 900 } });
          await page.evaluate(axe);
          const violations = await page.evaluate(async () => {
            const { violations } = await (window as unknown as { axe: Axe }).axe.run(document);
            return violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
            );
          });
          expect(violations).toEqual([]);
        }
      }
    },
  );

  it('prints without what only a screen needs, and light', async () => {
    const page = await open('plan', { colorScheme: 'dark' });
    await page.click('text=Close all');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.filter, nav, .themes').locator('visible=true').count()).toBe(0);
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(27, 28, 31)');
  });
});

/** The part of axe-core that the test uses. */
interface Axe {
  run(within: Document): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
}

describe('without JavaScript', () => {
  it('shows everything but the filter, and folds', async () => {
    const page = await open('plan', { javaScriptEnabled: false });
    expect(await page.locator('.filter').isVisible()).toBe(false);
    expect(await page.locator('.entry:visible').count()).toBe(count);
    await page.locator('.group > summary').first().click();
    expect(await page.locator('.entry:visible').count()).toBeLessThan(count);
    await page.check('#level-services');
    expect(await page.locator('.level-services').isVisible()).toBe(true);
    await page.locator('#first a').first().click();
    await page.locator(':target').waitFor();
    expect(await page.locator(':target').getAttribute('data-action')).toBe('delete');
  });
});

describe('hostile names', () => {
  it.each(['hostile', 'hostileDrift'] as const)('are text, and the policy holds: %s', async (name) => {
    const page = await open(name);
    expect(await page.evaluate(() => document.scripts.length)).toBe(1);
    expect(await page.locator('img, iframe, object, link, base').count()).toBe(0);
    for (const text of ['alert', '<b>', '"', '\\u202eevil']) await page.fill('#words', text);
    let connections = 0;
    const server = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const blocked = await page.evaluate(async (port) => {
      const events: string[] = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => events.push(violatedDirective));
      const script = document.createElement('script');
      script.textContent = 'window.isBroken = true';
      document.body.append(script);
      const image = new Image();
      image.src = `http://127.0.0.1:${port}/x.png`;
      document.body.append(image);
      document.body.setAttribute('style', 'color: red');
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { events: events.toSorted(), isBroken: 'isBroken' in window };
    }, port);
    server.close();
    expect(blocked).toEqual({ events: ['img-src', 'script-src-elem', 'style-src-attr'], isBroken: false });
    expect(connections).toBe(0);
    // Chromium reports each of these three, and the request that it did not send.
    expect(misdeeds.map((one) => one.split(':')[0] ?? '').toSorted()).toEqual([
      'console',
      'console',
      'console',
      'request',
    ]);
    misdeeds = [];
  });
});

it('holds no secret', () => {
  for (const page of Object.values(pages)) expect(page).not.toContain(inject('secretOfPages'));
});
