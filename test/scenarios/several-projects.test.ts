import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** Several projects in one folder: a root file and a state each, and files that they share. */

const head = (name: string) => `trueup: 1\nplatform: emulator\nproject: ${name}\ninclude: [common.yaml]\n`;
const files = {
  'shop.yaml': `${head('{ name: shop, description: The shop. }')}environments: { production: { env: { R: "\${var:region}" } } }\n`,
  'blog.yaml': `${head('project-2')}environments: { staging: { env: { R: "\${var:region}" } } }\n`,
  'common.yaml': 'variables: { region: { default: eu } }\n',
};

test('two root files of a folder have a project and a state each, and then plan nothing', async () => {
  const cwd = project(files);
  for (const file of ['shop.yaml', 'blog.yaml']) {
    const applied = await trueup(['apply', '-f', file, '--auto-approve'], { cwd });
    expect([applied.code, applied.err.includes('error')]).toEqual([0, false]);
    expect(existsSync(join(cwd, '.trueup', file, 'state.json'))).toBe(true);
  }
  expect(existsSync(join(cwd, '.trueup/state.json'))).toBe(false);
  for (const file of ['shop.yaml', 'blog.yaml']) {
    for (const words of [['plan'], ['status'], ['state', 'list'], ['drift']]) {
      const { code, out } = await trueup([...words, '-f', file], { cwd });
      expect([words, code]).toEqual([words, 0]);
      if (words[0] === 'plan') expect(out).toContain('No changes.');
    }
  }
  const exported = await trueup(['export', '--url', 'emulator', '--project', 'shop', '-f', 'copy.yaml'], { cwd });
  expect([exported.code, exported.err]).toEqual([0, expect.any(String)]);
  expect(readFileSync(join(cwd, 'copy.yaml'), 'utf8')).toContain('project: shop');
  expect((await trueup(['plan', '-f', 'copy.yaml'], { cwd })).out).toContain('No changes in what was compared.');
});
