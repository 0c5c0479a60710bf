import { beforeAll, describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Send, WireRequest } from '../../src/api/wire.ts';
import { answering, connection, failed, operationOf } from '../support/faults.ts';
import type { Death, Start } from '../support/histories.ts';
import {
  begin,
  failedBefore,
  faultAt,
  goOn,
  killedRun,
  lost,
  nothing,
  refused,
  run,
  startAfter,
  worldOf,
} from '../support/histories.ts';
import { certificate, fetching, inProduction, keys, rowsOf, watched } from '../support/organization-blocks.ts';
import { isSampled } from '../support/whole.ts';
import { head } from '../support/world.ts';

/** Replacements that make the new object first, when more than one thing happens before they are finished. */

const withPair = (pair: string) => head + keys(pair) + certificate(pair) + fetching();
const underAnotherKey = (pair: string) =>
  `${head}moved: [{ from: sshKeys.deploy, to: sshKeys.release }, { from: certificates.shop, to: certificates.main }]\n` +
  `${keys(pair, 'release')}${certificate(pair, 'main')}${fetching('release')}`;
const none = 'environments: { production: {} }\n';

/** What the manifest says after the run that was killed. */
const later: Readonly<Record<string, string>> = {
  'the same': withPair('two'),
  'what was before': withPair('one'),
  'still another pair': withPair('three'),
  'the same under another key': underAnotherKey('two'),
  'still another pair under another key': underAnotherKey('three'),
  'none, and the service lets go': head + fetching('key-1'),
  'no service': head + keys('two') + certificate('two') + none,
  'nothing at all': head + none,
};

let start: Start = nothing;
const wanted = new Map<string, string[]>();

beforeAll(async () => {
  start = await startAfter(withPair('one'));
  for (const [name, text] of Object.entries(later)) {
    const clean = begin(start);
    expect(await run(clean, text, { adoption: true })).toEqual([]);
    wanted.set(name, worldOf(clean));
  }
});

/** A key whose create was not answered when the process ended: once another pair is wanted, nobody knows it to be ours. */
const orphan = /^\["sshKey".*AAAAtwo/;

const deaths: Death['where'][] = ['before the POST', 'after the POST', 'before the save', 'after the save'];

describe.each(Object.entries(later))('after a killed replacement the manifest has %s:', (name, text) => {
  test.each(deaths)(
    'wherever that was %s, it is so, nothing is left over, and no service loses its key before its time',
    async (where) => {
      const row = Object.keys(later).indexOf(name) + deaths.indexOf(where);
      for (let at = 1; ; at++) {
        if (!isSampled(row, at, 5)) continue;
        const made = begin(start);
        const noted: string[] = [];
        const watch = { send: watched(made, noted) };
        const isKilled = await killedRun(
          made,
          withPair('two'),
          { at, where },
          { watch: (send) => watched(made, noted, send) },
        );
        if (!isKilled) break;
        const refusal = await goOn(made, text, watch).catch((error: unknown) => error);
        if (refusal instanceof Stop) {
          // What was made and never read cannot be told from what somebody else changed. It is finished first.
          expect(refusal.message).toMatch(/^certificateData: the platform has another value/);
          await goOn(made, text.includes('moved:') ? underAnotherKey('two') : withPair('two'), watch);
          await goOn(made, text, watch);
        } else if (refusal instanceof Error) throw refusal;
        const became = worldOf(made).filter((row) => wanted.get(name)?.includes(row) === true || !orphan.test(row));
        expect(became, `${where} ${at}`).toEqual(wanted.get(name));
        expect(noted).toEqual([]);
      }
    },
  );
});

const faults = Object.entries({ lost, 'failed before': failedBefore, refused });
const twice = faults.flatMap(([first, one]) => faults.map(([second, two]) => ({ first, one, second, two })));

test.each(twice)(
  'a replacement of which one POST is $first, and then one is $second, is finished',
  async ({ first, one, second, two }) => {
    const row = twice.findIndex((pair) => pair.first === first && pair.second === second);
    for (let i = 1; i <= 5; i++) {
      for (let j = 1; j <= 5; j++) {
        if (!isSampled(row + i, j, 5)) continue;
        const made = begin(start);
        const noted: string[] = [];
        await run(made, withPair('two'), { send: watched(made, noted, faultAt(made, i, one).send) });
        await run(made, withPair('two'), { send: watched(made, noted, faultAt(made, j, two).send) });
        await goOn(made, withPair('two'), { send: watched(made, noted) });
        expect(worldOf(made), `POSTs ${i} and ${j}`).toEqual(wanted.get('the same'));
        expect(noted).toEqual([]);
      }
    }
  },
);

test('of replacements that were not finished every old object goes, once nothing uses it', async () => {
  const made = begin(start);
  const send = answering(made, (name) => (name === 'application.saveGitProvider' ? failed('busy') : undefined));
  for (const pair of ['two', 'three', 'four']) {
    expect(await run(made, withPair(pair), { send })).toContain('skipped sshKeys.deploy (old)');
  }
  expect(rowsOf(made, 'sshKey')).toHaveLength(6); // two of them are the platform's own
  const noted: string[] = [];
  await goOn(made, withPair('four'), { send: watched(made, noted) });
  expect(noted).toEqual([]);
  expect(rowsOf(made, 'sshKey').map((row) => row.name)).toEqual(['key-1', 'key-2', 'deploy']);
  expect(Object.keys(made.store.state?.resources ?? {}).filter((address) => address.includes('(old)'))).toEqual([]);
});

test('a path that there can be only one of is free before another certificate takes it', async () => {
  const at = (path: string, key: string) => certificate('one', key).replace(' }', `, certificatePath: ${path} }`);
  const made = begin(await startAfter(head + at('shop', 'shop')));
  const send: Send = async (request) => {
    if (operationOf(request) === 'certificates.remove') await new Promise((later) => setTimeout(later, 2));
    return made.emulator.send(request);
  };
  expect(await run(made, head + at('shop', 'main'), { send })).toEqual([]);
  await goOn(made, head + at('shop', 'main'));
});

describe('a create that lands when another run is over', () => {
  const forge = 'gitea:\n  forge: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n';
  const bucket = 'bitbucket:\n  bucket: { bitbucketUsername: u, apiToken: t-o-k-e-n }\n';

  test.each([
    ['certificates.create', head + certificate('one'), undefined],
    ['certificates.create', head + certificate('two'), head + certificate('one')],
    ['gitea.create', head + forge, undefined],
    ['bitbucket.create', head + bucket, undefined],
  ])('%s makes no second one, because the id is the same', async (operation, text, before) => {
    const made = begin(before === undefined ? nothing : await startAfter(before));
    const late: WireRequest[] = [];
    await run(made, text, {
      send: (request) => {
        if (operationOf(request) !== operation) return made.emulator.send(request);
        late.push(request);
        return Promise.reject(connection('ECONNRESET'));
      },
    });
    expect(await run(made, text)).toEqual([]);
    const settled = worldOf(made);
    expect(late).toHaveLength(4); // sent again after each in-flight timeout
    for (const request of late) expect((await made.emulator.send(request)).status).toBeGreaterThanOrEqual(400);
    expect(worldOf(made)).toEqual(settled);
    await goOn(made, text);
  });
});

describe('a provider that waits to be connected', () => {
  const lab = 'gitlab:\n  lab: { gitlabUrl: "https://lab.example.com", applicationId: a, secret: correct-horse }\n';
  const using = inProduction(
    'application:\n  api: { source: { type: gitlab, provider: lab, owner: o, repository: r, branch: main } }\n',
  );
  const ours = (made: ReturnType<typeof begin>) =>
    rowsOf(made, 'gitlab').filter((row) => row.gitlabUrl === 'https://lab.example.com');

  test.each(deaths)('is never created twice when its run is killed %s', async (where) => {
    for (let at = 1; ; at++) {
      const made = begin(nothing);
      if (!(await killedRun(made, head + lab + using, { at, where }))) break;
      for (let again = 0; again < 3; again++) await run(made, head + lab + using, { adoption: true });
      const [only, ...others] = ours(made);
      expect(others, `${where} ${at}`).toEqual([]);
      if (only === undefined) {
        // It was never made, which nobody can know: the block is removed and put back, as the plan says.
        await run(made, head + none);
        await run(made, head + lab + using, { adoption: true });
      }
      expect(ours(made), `${where} ${at}`).toHaveLength(1);
      await made.emulator.act('gitlab.connect', { gitlabId: ours(made)[0]?.gitlabId });
      expect(await run(made, head + lab + using, { adoption: true })).toEqual([]);
      await goOn(made, head + lab + using);
      expect(rowsOf(made, 'application')).toMatchObject([{ gitlabId: ours(made)[0]?.gitlabId }]);
    }
  });

  test.each(faults)('is never created twice when its create is %s', async (how, fault) => {
    const made = begin(nothing);
    await run(made, head + lab, { send: faultAt(made, 1, fault).send });
    for (let again = 0; again < 3; again++) await run(made, head + lab);
    expect(ours(made)).toHaveLength(how === 'failed before' ? 0 : 1);
  });
});
