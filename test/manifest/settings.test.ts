import { describe, expect, test } from 'vitest';
import { neededSettings, settingsShape } from '../../src/manifest/settings-shape.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench } from '../support/world.ts';

const settingsOf = async (platform: string) => {
  const { settings } = await bench().manifest(`trueup: 1\nproject: prj_1\nplatform: ${platform}\n`);
  return settings.platform;
};

const refusalOf = async (platform: string): Promise<string> => {
  const error = await settingsOf(platform).catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  return error.diagnostics.map(({ message }) => message).join('\n');
};

describe('the platform', () => {
  test('can have a profile, at an address or embedded', async () => {
    const url = 'https://deploy.example.com';
    expect(await settingsOf('emulator')).toEqual({ emulator: true });
    expect(await settingsOf(`{ url: '${url}' }`)).toEqual({ url });
    for (const profile of ['standard', 'dokploy']) {
      expect(await settingsOf(`{ url: '${url}', profile: ${profile} }`)).toEqual({ url, profile });
      expect(await settingsOf(`{ emulator: true, profile: ${profile} }`)).toEqual({ emulator: true, profile });
    }
  });

  test('has a profile that Trueup knows', async () => {
    const url = "url: 'https://deploy.example.com'";
    expect(await refusalOf(`{ ${url}, profile: doploy }`)).toContain('platform.profile must be standard or dokploy');
    expect(await refusalOf('{ emulator: false, profile: dokploy }')).toContain('platform');
    expect(await refusalOf(`{ emulator: true, ${url} }`)).toContain('platform');
  });
});

/** The problems of a manifest with more lines, each with the column and its remedy. */
const problemsOf = async (lines: string) => {
  const error = await bench()
    .manifest(`trueup: 1\nplatform: emulator\n${lines}\n`)
    .catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  return error.diagnostics.map(({ message, position, remedy }) => [message, position?.column, remedy] as const);
};

test.each([
  ['project: ""', 'project is empty', 10],
  ['project: " "', 'project must be one line with a visible character', 10],
  ['project: { name: "" }', 'project.name is empty', 18],
])('%s is one problem', async (line, message, column) => {
  const problems = await problemsOf(line);
  expect(problems.map(([first, at]) => [first, at])).toEqual([[message, column]]);
});

test.each([
  ['variables', 'null'],
  ['outputs', 'x'],
])('a wrong name below %s has its place and the rule', async (key, value) => {
  for (const name of ['1a', '-a', 'a b']) {
    const line = `${key}: { good: ${value}, ${name}: ${value} }`;
    const problems = await problemsOf(`project: prj_1\n${line}`);
    const rule = expect.stringContaining('a name begins with a letter or "_"');
    expect(problems).toEqual([[`${key}.${name} is not a valid name`, line.indexOf(name) + 1, rule]]);
  }
});

test.each(Object.keys(settingsShape) as (keyof typeof settingsShape)[])('%s may be left out, or is reported', (key) => {
  const { success, data } = settingsShape[key].safeParse(undefined);
  expect(success).toBe(!neededSettings.has(key));
  expect(data).toBeUndefined();
});

test.each([
  ['platform: { §uri: https://deploy.example.com }', 'platform has no key uri', 'Did you mean url?'],
  ['drift: { §ignor: [] }', 'drift has no key ignor', 'Did you mean ignore?'],
  ['drift: { ignore: [{ address: a, §feld: b }] }', 'drift.ignore.0 has no key feld', 'Did you mean field?'],
  ['state: { backend: s3, §buckit: b, endpoint: "https://s" }', 'state has no key buckit', 'Did you mean bucket?'],
  ['secrets: [{ §flie: secrets.env }]', 'secrets.0 has no key flie', 'Did you mean file?'],
  ['moved: [{ §form: a, to: b }]', 'moved.0 has no key form', 'Did you mean from?'],
])('U12: an unknown key of a setting has its place and the key that was meant: %s', async (marked, message, remedy) => {
  const line = marked.replace('§', '');
  const text = `trueup: 1\nproject: prj_1\n${line.startsWith('platform') ? '' : 'platform: emulator\n'}${line}\n`;
  const error = await bench()
    .manifest(text)
    .catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  const found = error.diagnostics.find((item) => item.message === message);
  expect([found?.position?.column, found?.remedy]).toEqual([marked.indexOf('§') + 1, remedy]);
});

test('each problem of a setting has a place of its own', async () => {
  const line = 'variables: { a: { defalt: x }, b: { default: { c: 1 } } }';
  const problems = await problemsOf(`project: prj_1\n${line}`);
  expect(problems.map(([message, column]) => [message, column])).toEqual([
    ['variables.a has no key defalt', line.indexOf('defalt') + 1],
    ['variables.b.default must be text, a number, a boolean or a list of these', line.indexOf('{ c') + 1],
  ]);
});
