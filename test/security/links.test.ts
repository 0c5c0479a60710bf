import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** A repository contains links where Trueup writes. */

const onEmulator = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: {} }\n';
const onPlatform = onEmulator.replace('emulator', '{ url: "http://127.0.0.1:9" }');
const apply = (folder: string) => trueup(['apply', '--auto-approve', '--adopt', '-C', folder]);

/** A project, and a folder outside of it. */
function withLink(link: (folder: string, outside: string) => void) {
  const [folder, outside] = [project(onEmulator), project({})];
  link(folder, outside);
  return { folder, outside };
}

describe('S5 and S11: a link in .trueup', () => {
  it.each(['lease', 'documents', 'state.json', 'state.journal', 'emulator.json.open'])(
    'S5: .trueup/%s is not followed',
    async (name) => {
      const { folder, outside } = withLink((here, there) => {
        mkdirSync(join(here, '.trueup'));
        symlinkSync(there, join(here, '.trueup', name));
      });
      const { code, err } = await apply(folder);
      expect(code).toBe(7);
      expect(err).toContain(`.trueup/${name} is a link; nothing was read or written there`);
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it('S5: nor is the lock of the emulator', async () => {
    const { folder, outside } = withLink((here, there) => {
      mkdirSync(join(here, '.trueup/emulator.json.open'), { recursive: true });
      symlinkSync(there, join(here, '.trueup/emulator.json.open/lease'));
    });
    expect((await trueup(['plan', '-C', folder])).err).toContain('emulator.json.open/lease is a link');
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('S11: .trueup as a link out of the workspace', () => {
  const leavingLink = () => withLink((here, there) => symlinkSync(there, join(here, '.trueup')));

  it('S11: is refused for the state', async () => {
    const { folder, outside } = leavingLink();
    writeFileSync(join(folder, 'trueup.yaml'), onPlatform);
    for (const words of [['plan'], ['apply', '--auto-approve'], ['state', 'list'], ['state', 'unlock', '--yes']]) {
      const run = await trueup([...words, '-C', folder], { env: { TRUEUP_API_KEY: 'a-key' } });
      expect(run).toMatchObject({ code: 7, out: '' });
      expect(run.err).toContain('.trueup leads out of the folder of the manifest; nothing was read or written there');
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  it('S11: is refused for the emulator', async () => {
    const { folder, outside } = leavingLink();
    writeFileSync(join(outside, 'emulator.json'), 'canary');
    const run = await trueup(['call', 'organization.all', '-C', folder]);
    expect(run).toMatchObject({ code: 7, out: '' });
    expect(run.err).toContain('.trueup leads out of the folder of the manifest');
    expect(run.err).not.toContain('canary');
    expect(readdirSync(outside)).toEqual(['emulator.json']);
  });

  it.each(['.trueup/a.plan', 'plans/a.plan', 'plans/sub/a.plan'])(
    'S11: is refused for the plan file %s',
    async (out) => {
      const { folder, outside } = withLink((here, there) => {
        mkdirSync(join(there, 'sub'));
        symlinkSync(there, join(here, 'plans'));
        if (out.startsWith('.trueup')) symlinkSync(there, join(here, '.trueup'));
      });
      const run = await trueup(['plan', '--out', join(folder, out), '-C', folder]);
      expect(run).toMatchObject({ code: out.startsWith('.trueup') ? expect.any(Number) : 1, out: '' });
      expect(run.err).toMatch(/leads out of the folder of the manifest/);
      expect(existsSync(join(outside, 'a.plan')) || existsSync(join(outside, 'sub/a.plan'))).toBe(false);
    },
  );

  it('S11: may lead to another folder of the workspace', async () => {
    const { folder } = withLink((here) => {
      mkdirSync(join(here, 'kept'));
      symlinkSync('kept', join(here, '.trueup'));
    });
    expect((await apply(folder)).code).toBe(0);
    expect((await trueup(['plan', '-C', folder])).out).toContain('No changes');
    expect(readdirSync(join(folder, 'kept'))).toContain('state.json');
  });
});

describe('a folder of the state that cannot be reached', () => {
  const commands = [
    ['plan'],
    ['apply', '--auto-approve'],
    ['state', 'list'],
    ['state', 'key'],
    ['state', 'unlock', '--yes'],
  ];

  it.each(commands)('is an error about the disk where .trueup is a file: %s %s', async (...words) => {
    const folder = project({ 'trueup.yaml': onPlatform, '.trueup': 'canary' });
    const run = await trueup([...words.filter(Boolean), '-C', folder], { env: { TRUEUP_API_KEY: 'a-key' } });
    expect(run).toMatchObject({ code: 7, out: '' });
    expect(run.err).toMatch(/error\[state-\w+\]/);
    expect(run.err).toContain(join(folder, '.trueup'));
  });
});
