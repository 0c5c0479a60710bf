import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentOf, project, trueup } from '../process.ts';

/** Files of a manifest that are formatted in place. */

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
const files = {
  'trueup.yaml': `${head}include: [environments/*.yaml, more.yaml]\n`,
  'environments/production.yaml': 'environments:\n    production: {}   # why\n',
  'environments/staging.yaml': 'environments:\r\n  staging: {}\r\n',
  'more.yaml': 'x-a: &a   { b: 1 }\n\n\n\nsshKeys: {}',
  'other.yaml': 'a:     1\n',
};
const production = 'environments:\n  production: {}   # why\n';

describe('trueup fmt', () => {
  it('formats the manifest and what it includes, and once more does nothing', async () => {
    const folder = project(files);
    const { code, out, err } = await trueup(['fmt', '-C', folder]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe('environments/production.yaml\nmore.yaml\nFormatted 2 of 4 files.\n');
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('environments/production.yaml')).toBe(production);
    expect(read('more.yaml')).toBe('x-a: &a { b: 1 }\n\nsshKeys: {}\n');
    for (const name of ['trueup.yaml', 'environments/staging.yaml', 'other.yaml'] as const) {
      expect(read(name)).toBe(files[name]);
    }
    expect((await trueup(['fmt', '-C', folder])).out).toBe('4 files formatted already.\n');
    expect(readdirSync(folder).toSorted()).toEqual(['environments', 'more.yaml', 'other.yaml', 'trueup.yaml']);
  });

  it('formats only the files that are named, from the current folder', async () => {
    const folder = project(files);
    const cwd = join(folder, 'environments');
    const { code, out } = await trueup(['fmt', '-C', folder, 'production.yaml'], { cwd });
    expect({ code, out }).toEqual({ code: 0, out: 'environments/production.yaml\nFormatted 1 of 1 file.\n' });
    expect(readFileSync(join(folder, 'more.yaml'), 'utf8')).toBe(files['more.yaml']);
  });

  it('lists what is not formatted with --check, fails and writes nothing', async () => {
    const folder = project(files);
    const { code, out } = await trueup(['fmt', '--check', '-C', folder]);
    expect({ code, out }).toEqual({
      code: 1,
      out: 'environments/production.yaml\nmore.yaml\n2 of 4 files not formatted: run trueup fmt.\n',
    });
    expect(readFileSync(join(folder, 'more.yaml'), 'utf8')).toBe(files['more.yaml']);
    await trueup(['fmt', '-C', folder]);
    expect((await trueup(['fmt', '--check', '-C', folder])).code).toBe(0);
  });

  it('reports a mistake in the manifest once', async () => {
    for (const broken of [`${head}x: "a\n`, `${head}x: ${'['.repeat(70)}${']'.repeat(70)}\n`]) {
      const folder = project({ 'trueup.yaml': broken });
      const { code, err } = await trueup(['fmt', '--check', '-C', folder]);
      expect({ code, mistakes: err.match(/^error\[/gm) }).toEqual({ code: 3, mistakes: ['error['] });
    }
  });

  it('shows the differences with --diff, without secrets and comments, and writes nothing', async () => {
    const text = `${head}environments:\n  production:\n      env:\n          TOKEN:   canary-4711  # canary-4712\n          # canary-4713\n      redis: {}\n`;
    const folder = project({ 'trueup.yaml': text });
    const { code, out } = await trueup(['fmt', '--diff', '-C', folder]);
    expect(code).toBe(0);
    expect(out).toMatch(/-\s+TOKEN: {3}\*+ {2}#…\n/);
    expect(out).toMatch(/\+\s+TOKEN: \*+ {2}#…\n/);
    expect(out).not.toContain('canary');
    expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe(text);
  });

  it('prints a document', async () => {
    const folder = project(files);
    const ran = await trueup(['fmt', '--check', '-C', folder, '--format', 'json']);
    expect(ran.code).toBe(1);
    expect(documentOf(ran)).toMatchObject({
      format: 'trueup/format',
      written: false,
      files: [
        { path: 'trueup.yaml', changed: false },
        { path: 'environments/production.yaml', changed: true },
        { path: 'environments/staging.yaml', changed: false },
        { path: 'more.yaml', changed: true },
      ],
    });
  });

  it('keeps the rights of a file', async () => {
    const folder = project({ 'trueup.yaml': `${head}\n\n` });
    chmodSync(join(folder, 'trueup.yaml'), 0o660);
    expect((await trueup(['fmt', '-C', folder])).code).toBe(0);
    expect(statSync(join(folder, 'trueup.yaml')).mode & 0o777).toBe(0o660);
  });

  it('writes no file when one cannot be read, and quotes the line', async () => {
    const folder = project({ ...files, 'more.yaml': 'a: [1\nb: 2\n' });
    const { code, out, err } = await trueup(['fmt', '-C', folder]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('more.yaml:');
    expect(readFileSync(join(folder, 'environments/production.yaml'), 'utf8')).toBe(
      files['environments/production.yaml'],
    );
  });

  it.each([
    ['outside', '../outside.yaml', 'outside the workspace'],
    ['absolute and outside', '/etc/hosts', 'outside the workspace'],
    ['a link that leads out', 'link.yaml', 'leads by a link out of the workspace'],
    ['credentials', '.env', 'may hold credentials'],
    ['missing', 'none.yaml', 'there is no file none.yaml'],
    ['a folder', 'environments', 'is not a file'],
  ])('refuses a file that is %s', async (_, name, message) => {
    const folder = project({ ...files, '.env': 'A:   1\n' });
    const outside = project({ 'o.yaml': 'a:   1\n' });
    symlinkSync(join(outside, 'o.yaml'), join(folder, 'link.yaml'));
    const { code, out, err } = await trueup(['fmt', '-C', folder, name], { cwd: folder });
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(message);
    expect(readFileSync(join(outside, 'o.yaml'), 'utf8')).toBe('a:   1\n');
  });

  it('writes through no link', async () => {
    const folder = project(files);
    symlinkSync('other.yaml', join(folder, 'link.yaml'));
    const { code, err } = await trueup(['fmt', '-C', folder, 'link.yaml'], { cwd: folder });
    expect(code).toBe(1);
    expect(err).toContain('link.yaml: a link leads elsewhere; nothing was written');
    expect(readFileSync(join(folder, 'other.yaml'), 'utf8')).toBe(files['other.yaml']);
  });

  it('formats what a plan would refuse, and what git ignores, and needs no key', async () => {
    const folder = project({
      'trueup.yaml': 'trueup: 2\nnonsense:   1\n',
      '.gitignore': 'mine.yaml\n',
      'mine.yaml': 'a:   1\n',
    });
    expect((await trueup(['fmt', '-C', folder])).out).toBe('trueup.yaml\nFormatted 1 of 1 file.\n');
    expect((await trueup(['fmt', '-C', folder, 'mine.yaml'], { cwd: folder, env: { CI: 'true' } })).code).toBe(0);
    expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe('a: 1\n');
    expect(existsSync(join(folder, '.trueup'))).toBe(false);
  });

  it('leaves a file that it cannot format as it is, and says so', async () => {
    const text = 'd: 1\n? e\n- f\n  - ? g\n    : h\n';
    const folder = project({ 'trueup.yaml': text });
    const { code, out, err } = await trueup(['fmt', '-C', folder]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('trueup.yaml cannot be formatted without a change of its values');
    expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe(text);
  });
});
