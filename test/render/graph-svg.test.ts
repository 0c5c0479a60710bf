import { expect, it } from 'vitest';
import { renderSvg } from '../../src/render/graph-svg.ts';
import { printed } from '../../src/render/printable.ts';
import { hostileNames } from './hostile.ts';

const node = (address: string, parent?: string, dependsOn: readonly string[] = []) => ({
  address,
  kind: 'compose',
  parent,
  dependsOn,
});

it('frames environments, and draws lines between them dashed', () => {
  const svg = renderSvg([
    node('sshKeys.deploy'),
    node('production'),
    node('production.compose.shop', 'production', ['production', 'sshKeys.deploy']),
    node('production.compose.shop.domains["x.example.com"]', 'production.compose.shop'),
  ]);
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+" /);
  expect(svg.match(/class="title"[^>]*>[^<]*/g)?.map((one) => one.split('>')[1])).toEqual(['project', 'production']);
  expect(svg.match(/<text x[^>]*>[^<]*/g)?.map((one) => one.split('>')[1])).toEqual([
    'sshKeys.deploy',
    'compose.shop',
    'domains[&#34;x.example.com&#34;]',
  ]);
  expect(svg.match(/class="edge across"/g)).toHaveLength(1);
  expect(svg.match(/class="edge"/g)).toHaveLength(1);
});

it('escapes hostile names, and names no other file', () => {
  const svg = renderSvg(hostileNames.map((name) => ({ ...node(name), kind: name })));
  expect(printed(svg)).toBe(svg);
  // Tags: an opening for each that is closed, and no others than those of Trueup.
  expect(new Set(svg.match(/<\/?[a-z!?]\w*/gi))).toEqual(
    new Set(['<svg', '</svg', '<style', '</style', '<rect', '<text', '</text', '<g', '</g', '<title', '</title']),
  );
  expect(svg).not.toMatch(/ on\w+="/);
  expect(svg.match(/href|url\(|@import|https?:\/\/(?!www\.w3\.org\/2000\/svg)/g)).toBeNull();
});
