import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlace } from '../../src/project/folder.ts';
import { project, trueup } from '../cli/process.ts';

/** A manifest has one state, whichever path names it. */

const manifest = (name: string) => `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { ${name}: {} }\n`;

test('every path to a manifest is the same folder and name', () => {
  const place = { folder: '/work/a', file: 'trueup.yaml' };
  for (const path of ['trueup.yaml', './trueup.yaml', './/trueup.yaml', '../a/trueup.yaml', '/work/a/trueup.yaml']) {
    expect(findPlace('/work/a', path)).toEqual(place);
  }
  expect(findPlace('/work', 'a/trueup.yaml')).toEqual(place);
  expect(findPlace('/work/b', '../a/./trueup.yaml')).toEqual(place);
  expect(findPlace('/work/a', './other.yaml')).toEqual({ folder: '/work/a', file: 'other.yaml' });
  for (const file of ['', '.', '..', 'a/', './', 'a/..']) {
    expect(findPlace('/work', file)).toEqual({ folder: '/work', file });
  }
});

test('-f ./trueup.yaml uses the state of trueup.yaml, and then plans nothing', async () => {
  const cwd = project(manifest('staging'));
  const applied = await trueup(['apply', '-f', './trueup.yaml', '--auto-approve'], { cwd });
  expect(applied.code, applied.err).toBe(0);
  expect(existsSync(join(cwd, '.trueup/state.json'))).toBe(true);
  expect(existsSync(join(cwd, '.trueup/trueup.yaml'))).toBe(false);
  for (const path of ['trueup.yaml', './trueup.yaml', join(cwd, 'trueup.yaml')]) {
    expect((await trueup(['plan', '-f', path], { cwd })).out).toContain('No changes.');
  }
});

test('manifests of two folders have a state each beside them, and then plan nothing', async () => {
  const cwd = project({ 'a/trueup.yaml': manifest('staging'), 'b/trueup.yaml': manifest('testing') });
  for (const folder of ['a', 'b']) {
    const applied = await trueup(['apply', '-f', `${folder}/trueup.yaml`, '--auto-approve'], { cwd });
    expect(applied.code, applied.err).toBe(0);
  }
  expect(readdirSync(cwd).toSorted()).toEqual(['a', 'b']);
  for (const folder of ['a', 'b']) {
    expect(existsSync(join(cwd, folder, '.trueup/state.json'))).toBe(true);
    for (const place of [
      ['-f', `${folder}/trueup.yaml`],
      ['-C', folder],
      ['-C', folder, '-f', './trueup.yaml'],
    ]) {
      expect((await trueup(['plan', ...place], { cwd })).out).toContain('No changes.');
    }
  }
});

test('another file of the folder keeps its own state', async () => {
  const cwd = project({ 'other.yaml': manifest('staging') });
  expect((await trueup(['apply', '-f', 'other.yaml', '--auto-approve'], { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, '.trueup/other.yaml/state.json'))).toBe(true);
  expect((await trueup(['plan', '-f', './other.yaml'], { cwd })).out).toContain('No changes.');
});

test('a state that an earlier version put elsewhere is not left behind unseen', async () => {
  const cwd = project(manifest('staging'));
  expect((await trueup(['apply', '--auto-approve'], { cwd })).code).toBe(0);
  renameSync(join(cwd, '.trueup'), join(cwd, 'earlier'));
  mkdirSync(join(cwd, '.trueup'));
  renameSync(join(cwd, 'earlier'), join(cwd, '.trueup/trueup.yaml'));
  const planned = await trueup(['plan'], { cwd });
  expect(planned.code).not.toBe(0);
  expect(planned.err).toContain('an earlier version left a state of this manifest');
});
