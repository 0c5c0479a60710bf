import { beforeAll, describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Death, Start } from '../support/histories.ts';
import {
  begin,
  faultAt,
  failedBefore,
  goOn,
  killedRun,
  lost,
  nothing,
  refused,
  run,
  startAfter,
  worldOf,
} from '../support/histories.ts';
import { head } from '../support/world.ts';

/** Replacements that make the new object first, when more than one thing happens before they are finished. */

const pem = (what: string, text: string) => JSON.stringify(`-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`);
const keys = (pair: string, key = 'deploy') =>
  `sshKeys:\n  ${key}: { name: deploy, publicKey: ssh-ed25519 AAAA${pair} shop, privateKey: ${pem('OPENSSH PRIVATE KEY', pair)} }\n`;
const certificates = (text: string, key = 'shop') =>
  `certificates:\n  ${key}: { name: shop, certificateData: ${pem('CERTIFICATE', text)}, privateKey: k }\n`;
const production = (sections: string) => `environments:\n  production:\n${sections.replaceAll(/^(?=.)/gm, '    ')}`;
const fetching = (key: string) =>
  production(
    `application:\n  api: { source: { type: git, url: "git@git.example.com:api.git", branch: main, sshKey: ${key} } }\n`,
  );
const all = (pair: string) => head + keys(pair) + certificates(pair) + fetching('deploy');

const begun = { start: nothing };
beforeAll(async () => {
  begun.start = await startAfter(all('one'));
});
const later: Readonly<Record<string, string>> = {
  'the same': all('two'),
  'what was before': all('one'),
  'still another pair': all('three'),
  'the same under another key': `${head}moved: [{ from: sshKeys.deploy, to: sshKeys.release }, { from: certificates.shop, to: certificates.main }]\n${keys('two', 'release')}${certificates('two', 'main')}${fetching('release')}`,
  'another one under another key': `${head}moved: [{ from: sshKeys.deploy, to: sshKeys.release }, { from: certificates.shop, to: certificates.main }]\n${keys('three', 'release')}${certificates('three', 'main')}${fetching('release')}`,
  'neither, and the service lets go': `${head}${fetching('key-1')}`,
  'no service': `${head}${keys('two')}${certificates('two')}environments: { production: {} }\n`,
  'nothing at all': `${head}environments: { production: {} }\n`,
};

const worlds = new Map<string, string[]>();
beforeAll(async () => {
  for (const [name, text] of Object.entries(later)) {
    const clean = begin(begun.start);
    expect(await run(clean, text, { adoption: true })).toEqual([]);
    worlds.set(name, worldOf(clean));
  }
});

/** What nobody can know to be ours: a key that was made in a run which ended before it could be looked up. */
const orphan = /^\["sshKey".*AAAAtwo/;

describe.each(Object.entries(later))('a replacement that was killed, and then %s', (name, text) => {
  test.each<Death['where']>(['before the POST', 'after the POST', 'before the save', 'after the save'])(
    '%s, is as if it had not begun',
    async (where) => {
      for (let at = 1; ; at++) {
        const made = begin(begun.start);
        if (!(await killedRun(made, all('two'), { at, where }))) break;
        const refusal = await goOn(made, text).catch((error: unknown) => error);
        if (refusal instanceof Stop) {
          // What nobody saw made cannot be told from what somebody else wrote: it is finished first.
          expect(refusal.diagnostics.map((item) => item.code)).toEqual(['cannot-change']);
          await goOn(made, text.includes('release') ? (later['the same under another key'] ?? '') : all('two'));
          await goOn(made, text);
        } else if (refusal instanceof Error) throw refusal;
        const became = worldOf(made);
        const wanted = worlds.get(name) ?? [];
        expect(
          became.filter((row) => wanted.includes(row) || !orphan.test(row)),
          `${where} ${at}`,
        ).toEqual(wanted);
      }
    },
  );
});

const faults = { lost, failedBefore, refused };
const twice = Object.entries(faults).flatMap(([first, one]) =>
  Object.entries(faults).map(([second, two]) => [first, second, one, two] as const),
);
test.each(twice)(
  'a replacement with a POST that is %s and one that is %s is finished',
  async (_first, _second, one, two) => {
    for (let i = 1; i <= 5; i++) {
      for (let j = 1; j <= 5; j++) {
        const made = begin(begun.start);
        await run(made, all('two'), { send: faultAt(made, i, one).send, adoption: true });
        await run(made, all('two'), { send: faultAt(made, j, two).send });
        await goOn(made, all('two'));
        expect(worldOf(made), `${i} ${j}`).toEqual(worlds.get('the same'));
      }
    }
  },
);
const x: Start | undefined = undefined;
void x;
