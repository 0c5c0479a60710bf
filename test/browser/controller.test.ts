import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../../scripts/support/browser.ts';

/** The pages of a controller in a browser: by keyboard, without a script, for everybody. */

const { address, headers, database, pages } = inject('controller');
const names = Object.keys(pages);
const pool = new pg.Pool({ connectionString: database, max: 1 });
let browser: Browser;
/** They open all of the pages, one after the other: each context would cost a second. The second has no script. */
let shared: Page;
let plain: Page;
beforeAll(async () => {
  browser = await openBrowser();
  shared = watch(await contextOf({}).then((context) => context.newPage()));
  plain = watch(await contextOf({ javaScriptEnabled: false }).then((context) => context.newPage()));
});
afterAll(async () => {
  await browser.close();
  await pool.end();
});

let misdeeds: string[] = [];
afterEach(() => expect(misdeeds).toEqual([]));

const contextOf = (options: BrowserContextOptions) =>
  browser.newContext({ viewport: { width: 1_440, height: 900 }, extraHTTPHeaders: { ...headers }, ...options });

/** Has what a page must not do noted. */
function watch(page: Page): Page {
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) misdeeds.push(`request: ${request.url()}`);
  });
  page.on('console', (message) => misdeeds.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => misdeeds.push(`error: ${error.message}`));
  return page;
}

/** Opens a page by its name or its path, with the focus nowhere. */
async function open(name: string, page: Page = shared): Promise<Page> {
  misdeeds = [];
  await page.goto(address + (pages[name] ?? name));
  return page;
}

/** The part of axe-core that the test uses. */
interface Axe {
  run(within: Document): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
}
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

it.each(names)('%s fits three widths, and has names, headings in order and contrast, light and dark', async (name) => {
  const page = await open(name);
  await page.evaluate(axe);
  for (const width of [360, 768, 1_440]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)]).toEqual([
      width,
      true,
    ]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const violations = await page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: Axe }).axe.run(document);
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
      });
      expect([width, colorScheme, violations]).toEqual([width, colorScheme, []]);
    }
  }
});

it.each(names)(
  '%s leads the focus through all of its controls, in their order, and shows where it is',
  async (name) => {
    const page = await open(name);
    const expected = await page.evaluate(() => {
      const all = document.querySelectorAll<HTMLElement>(
        'a[href], button, input:not([type=hidden]), select, textarea, summary',
      );
      const groups = new Set<string>();
      return [...all].filter((one) => {
        if (!one.checkVisibility()) return false;
        // Of a group of radios one is a stop.
        if (!(one instanceof HTMLInputElement) || one.type !== 'radio') return true;
        return one.checked && groups.size < groups.add(one.name).size;
      }).length;
    });
    const stops = new Set<number>();
    let last = -1;
    // A date has several stops of its own.
    for (let tabs = 0; tabs < expected + 12 && stops.size < expected; tabs++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const one = document.activeElement;
        if (one === null || one === document.body) return undefined;
        const shown = [one, one.nextElementSibling, one.closest('label'), one.querySelector('rect')].some((each) => {
          const style = each === null ? undefined : getComputedStyle(each);
          return (
            style !== undefined &&
            (style.outlineStyle !== 'none' || (each instanceof SVGElement && style.strokeWidth === '2px'))
          );
        });
        return { at: [...document.querySelectorAll('*')].indexOf(one), shown, name: one.outerHTML.slice(0, 120) };
      });
      if (stop === undefined) break;
      expect(stop).toEqual({ ...stop, shown: true });
      expect([stop.name, stop.at >= last]).toEqual([stop.name, true]);
      last = stop.at;
      stops.add(stop.at);
    }
    expect(stops.size).toBe(expected);
  },
);

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < 80; tabs++) {
    if (
      await page
        .locator(selector)
        .first()
        .evaluate((one) => one === document.activeElement)
    )
      return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${selector}`);
}

describe('by keyboard, without a script', () => {
  it('a stack is paused and resumed', async () => {
    const page = await open('/stacks/shops:accounts~1trueup.yaml', plain);
    await tabTo(page, '.controls summary');
    await page.keyboard.press('Enter');
    await tabTo(page, '#because');
    await page.keyboard.type('the fair is on');
    await page.keyboard.press('Enter');
    await page.locator('.badge', { hasText: 'paused' }).first().waitFor();
    expect(await page.locator('.standing').textContent()).toContain('the fair is on');
    await tabTo(page, '.controls summary');
    await page.keyboard.press('Enter');
    await tabTo(page, '#resume-because');
    await page.keyboard.type('it is over');
    await page.keyboard.press('Enter');
    await page.locator('.badge', { hasText: 'in step' }).first().waitFor();
  });

  it('stacks are found', async () => {
    const page = await open('home', plain);
    await tabTo(page, '#text');
    await page.keyboard.type('lyon');
    await page.keyboard.press('Enter');
    await page.locator('.section-head', { hasText: '1 stack' }).waitFor();
    expect(await page.locator('.rows tbody tr').count()).toBe(1);
  });

  it('a plan is approved, with consent and a reason', async () => {
    const page = await open('plan', plain);
    await tabTo(page, '[name=dataLoss]');
    await page.keyboard.press('Space');
    await tabTo(page, '#because');
    await page.keyboard.type('as announced');
    await tabTo(page, '[value=approve]');
    await page.keyboard.press('Enter');
    await page.locator('.badge', { hasText: 'waits for its wave' }).waitFor();
    expect(await page.locator('.told').textContent()).toContain('as announced');
  });

  it.each(names)('%s shows what it has', async (name) => {
    const page = await open(name, plain);
    expect(await page.locator('h1').count()).toBe(1);
    expect((await page.locator('main').innerText()).length).toBeGreaterThan(20);
    const shown = await page.locator('[hidden]').evaluateAll((all) => all.map(({ className }) => className));
    // Only the filter of a report needs its script.
    expect(shown.every((one) => one === 'filter')).toBe(true);
  });
});

it('a run that goes on is shown to its end by the script', async () => {
  const page = await open('going');
  await page.locator('#live-words', { hasText: /^0 of \d+ actions done\.$/ }).waitFor();
  const id = pages['going']?.split('/').at(-1);
  await pool.query(`update trueup_controller.run set ended_at = now(), ending = 'stopped' where id = $1`, [id]);
  await page.locator('.badge', { hasText: 'stopped' }).waitFor();
  expect(await page.locator('#live').count()).toBe(0);
});
