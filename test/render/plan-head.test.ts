import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanAbout } from '../../src/render/plan-head.ts';
import { placeWords, renderHead } from '../../src/render/plan-head.ts';
import { plainStyle } from '../../src/render/style.ts';
import { documentOf, project, trueup } from '../cli/process.ts';

/** A reviewer sees which platform, project, state and commit a plan is about. */

const about: PlanAbout = {
  platform: 'https://deploy.example.com',
  project: { id: 'prj_1', name: 'shop' },
  state: { location: '.trueup/state.json', serial: 12 },
  commit: { id: '0123456789abcdef0123456789abcdef01234567', differing: 0 },
};
const head = (more: Partial<PlanAbout> = {}, width?: number) =>
  renderHead({ ...about, ...more }, { ...plainStyle, width }).join('\n');

describe('U13: the head of a plan', () => {
  test('names platform, project, state and commit', () => {
    expect(head()).toBe(
      `platform  https://deploy.example.com
project   shop (prj_1)
state     .trueup/state.json, version 12
commit    0123456789ab`,
    );
  });

  test('leaves out what is not known, and claims nothing of it', () => {
    expect(head({ platform: undefined, project: { id: 'prj_1' }, state: { location: 'x' }, commit: undefined })).toBe(
      'project   prj_1\nstate     x, none yet',
    );
    const { id } = about.commit ?? { id: '' };
    expect(head({ platform: 'emulator', commit: { id, differing: undefined } })).toMatch(
      /^platform {2}the embedded emulator\n[^;]*$/,
    );
  });

  test('counts files that are not as git has them', () => {
    const { id } = about.commit ?? { id: '' };
    expect(head({ commit: { id, differing: 2 } })).toContain('; 2 files of the manifest differ from the index of git');
    expect(head({ commit: { id, differing: 1 } })).toContain('; 1 file of the manifest differs from the index of git');
  });

  test.each([30, 80, 120])('fits %d columns', (width) => {
    const long = head(
      { platform: `https://${'a-long-name.'.repeat(12)}example.com`, commit: { id: 'a'.repeat(40), differing: 3 } },
      width,
    );
    for (const line of long.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  test('escapes what comes from elsewhere', () => {
    expect(head({ project: { id: 'prj_1', name: 'a\u001B[2Jb' } })).toContain('a\\x1b[2Jb (prj_1)');
  });

  test('is printed by plan and apply, and is in their documents', async () => {
    const folder = project('trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: {} }\n');
    writeFileSync(join(folder, '.gitignore'), '.trueup\n');
    const at = ['-C', folder];
    const planned = await trueup(['plan', ...at]);
    expect(planned.out).toMatch(
      /^platform {2}the embedded emulator\nproject {3}.*\(prj_1\)\nstate {5}\.trueup\/state\.json, none yet\n\n/,
    );
    expect((await trueup(['apply', '--auto-approve', '--adopt', ...at])).out).toMatch(/^platform /);
    expect(documentOf(await trueup(['plan', '--format', 'json', ...at]))).toMatchObject({
      platform: 'emulator',
      project: { id: 'prj_1', name: expect.stringMatching(/./) as string },
      state: { location: '.trueup/state.json', serial: 1 },
      restarts: [],
      recreates: [],
      overwrites: [],
      dataAtRisk: [],
      unmanaged: 0,
    });
  });
});

test('U13: the question before an apply names the project and the platform', () => {
  expect(placeWords(about)).toBe('project shop (prj_1) on https://deploy.example.com');
  expect(placeWords({ ...about, platform: undefined })).toBe('project shop (prj_1)');
});
