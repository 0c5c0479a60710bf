import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { printed } from '../../src/render/printable.ts';

/** Every tag that a page has, in order, without its values. */
export function tagsOf(html: string): string[] {
  const body = html.replace(/<(style|script)>.*?<\/\1>/gs, '<$1></$1>');
  return [...body.matchAll(/<(\/?[a-z!][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"]*")?)*) ?\/?>|<|>/g)].map((found) => {
    const [all, name = '', attributes = ''] = found;
    if (name === '') throw new Error(`a sign outside a tag: ${html.slice(found.index - 20, found.index + 60)}`);
    return all.startsWith('</')
      ? name
      : [name, ...[...attributes.replaceAll(/"[^"]*"/g, '').matchAll(/ ([a-zA-Z-]+)/g)].map((one) => one[1])].join(' ');
  });
}

/** Checks all that holds of every page: it loads nothing, runs nothing but its own script, and commands no terminal. */
export function expectSafe(html: string): void {
  expect(printed(html)).toBe(html);
  const digest = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scripts = [...html.matchAll(/<script[^>]*>(.*?)<\/script>/gs)];
  const styles = [...html.matchAll(/<style[^>]*>(.*?)<\/style>/gs)];
  expect([scripts.length, styles.length]).toEqual([1, 1]);
  const policy = `default-src 'none'; script-src ${digest(scripts[0]?.[1])}; style-src ${digest(styles[0]?.[1])}; base-uri 'none'; form-action 'none'`;
  expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
  const tags = tagsOf(html);
  const names = new Set(tags.map((tag) => tag.split(' ')[0]));
  for (const name of ['img', 'link', 'iframe', 'object', 'embed', 'base', 'video', 'audio', 'image', 'use'])
    expect(names).not.toContain(name);
  const attributes = tags.flatMap((tag) => tag.split(' ').slice(1));
  expect(attributes.filter((name) => /^on|^style$|^src|^action$|^xlink/.test(name))).toEqual([]);
  const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, target = '']) => target);
  expect(links.filter((target) => !/^#[\w-]+$/.test(target))).toEqual([]);
  const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));
  expect(links.filter((target) => !ids.has(target.slice(1)))).toEqual([]);
  expect(html.match(/url\(|@import|@font-face/g)).toBeNull();
}
