import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPlace } from '../../src/project/folder.ts';
import { project, trueup } from '../cli/process.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';

/** A manifest has one state, whichever path names it. */

const manifest = (name: string) => `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { ${name}: {} }\n`;

test('every path to a manifest is the same folder and name', () => {
  const place = { folder: '/repos/a', file: 'trueup.yaml' };
  for (const path of ['trueup.yaml', './trueup.yaml', './/trueup.yaml', '../a/trueup.yaml', '/repos/a/trueup.yaml']) {
    expect(findPlace('/repos/a', path)).toEqual(place);
  }
  expect(findPlace('/repos', 'a/trueup.yaml')).toEqual(place);
  expect(findPlace('/repos/b', '../a/./trueup.yaml')).toEqual(place);
  expect(findPlace('/repos/a', './other.yaml')).toEqual({ folder: '/repos/a', file: 'other.yaml' });
  for (const file of ['', '.', '..', 'a/', './', 'a/..']) {
    expect(findPlace('/repos', file)).toEqual({ folder: '/repos', file });
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
  expect(planned.code).toBe(7);
  expect(planned.err).toContain('an earlier version left a state of this manifest');
});

test('a state that an earlier version put behind the name of the file in a bucket is not left behind unseen', async () => {
  const store = await serveS3(['states']);
  const env = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: secretOf('test'), TRUEUP_STATE_KEY: keyText };
  const at = (more: string) =>
    manifest('staging') + `state: { backend: s3, endpoint: "${store.url}", bucket: states${more} }\n`;
  const earlier = ', prefix: prj_1/trueup.yaml';
  const cwd = project(at(earlier));
  const run = async (words: readonly string[], more: string) => {
    writeFileSync(join(cwd, 'trueup.yaml'), at(more));
    return trueup(words, { cwd, env });
  };
  expect((await run(['apply', '--auto-approve'], earlier)).err).toContain('created');
  for (const words of [['plan'], ['apply', '--auto-approve'], ['state', 'list']]) {
    const refused = await run(words, '');
    expect(refused.code).toBe(7);
    expect(refused.err).toContain('an earlier version left a state of this project in');
    expect(refused.err).toContain('-> To use it, write prefix: prj_1/trueup.yaml/ under state: in the manifest.');
  }
  expect((await run(['plan'], earlier)).out).toContain('No changes.');
  expect((await run(['plan'], ', prefix: mine')).code).toBe(0);
  await store.close();
});
