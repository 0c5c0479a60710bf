import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inProfile } from '../../src/kind/profile.ts';
import { glance, rememberedAtAGlance } from '../../src/project/glance.ts';
import { loadManifest } from '../../src/project/load.ts';
import { OtherProfile } from '../../src/project/profile.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { project, trueup } from '../cli/process.ts';

const wordless = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { staging: {} }\n';

it('takes the profile of a manifest without words from its state, before the blocks are read', async () => {
  const folder = project(wordless.replace('emulator', '{ emulator: true, profile: dokploy }'));
  const place = { folder, file: 'trueup.yaml', variables: new Map(), env: {}, redactor: createRedactor() };
  const load = () => loadManifest({ ...place, kinds: inProfile(kinds, 'dokploy') });
  expect((await trueup(['apply', '-C', folder, '--auto-approve'])).code).toBe(0);
  writeFileSync(join(folder, 'trueup.yaml'), wordless);
  expect([glance(place), rememberedAtAGlance(place)]).toEqual(['dokploy', 'dokploy']);
  expect((await load()).manifest.resources).toHaveLength(1);
  expect((await trueup(['plan', '-C', folder])).out).toContain('No changes');
  // Without the hint the blocks were read in the words of the document first.
  writeFileSync(join(folder, '.trueup/state.json'), '{}');
  await expect(load()).rejects.toThrow(OtherProfile);
});

it.each([
  ['no state', undefined, undefined],
  ['a state that remembers none', '{\n "resources": {},\n "mac": "x"\n}\n', undefined],
  ['a state of one line', '{"resources":{},"profile":"dokploy","mac":"x"}', 'dokploy'],
  ['other line ends', '{\r\n "profile": "standard",\r\n "mac": "x"\r\n}\r\n', 'standard'],
  ['the word in a resource', '{"resources":{"a":{"profile":"dokploy"}},"mac":"x"}', undefined],
  ['an unknown profile', '{"profile":"constructor","mac":"x"}', undefined],
])('of %s', (_title, text, remembered) => {
  const folder = project(wordless);
  mkdirSync(join(folder, '.trueup'));
  if (text !== undefined) writeFileSync(join(folder, '.trueup/state.json'), text);
  expect(rememberedAtAGlance({ folder, file: 'trueup.yaml' })).toBe(remembered);
});

it('leaves a manifest that is too long, or no file, to those who refuse it', () => {
  const folder = project(`platform: { profile: dokploy }${' '.repeat(16_000_000)}`);
  expect([glance({ folder, file: 'trueup.yaml' }), glance({ folder, file: '.' })]).toEqual(['standard', 'standard']);
});
