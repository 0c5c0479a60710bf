import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { World } from '../../src/emulator/world.ts';
import { type Crash, crashesAt } from '../support/crashes/explore.ts';
import { imageOf } from '../support/crashes/platform.ts';
import { type Moment, type Place, readState, runProcess } from '../support/crashes/process.ts';
import { simulateTimers } from '../support/crashes/timers.ts';
import type { Manifest } from '../../src/manifest/manifest.ts';
import type { Deploys } from '../../src/state/record.ts';
import type { State } from '../../src/state/state.ts';
import { actionsOf } from '../support/faults.ts';
import { kindBench, worldWithMember } from '../support/kind-world.ts';
import { production } from '../support/manifest-texts.ts';
import { effort, thinned } from '../support/whole.ts';

/** Runs whose new version fails and whose former one comes back, and that end at any moment. */

simulateTimers();

const text = (version: string, image: string) =>
  production(`    application:
      web: { source: { type: docker, image: "${image}" }, env: { V: "\${secret:${version.toUpperCase()}}" }, deploy: { onFailure: restore } }
    compose:
      shop:
        source: { type: raw, composeFile: 'services: { web: { image: "${image}", volumes: ["../files/a:/a"] } }' }
        env: { V: "${version}" }
        files: { a: { content: "${version}" } }
        deploy: { onFailure: restore }
`);

/** The version of each field that the deployments of both services read. */
function versionsIn({ application, compose, mount }: World['tables']): string[] {
  const versionOf = (value: unknown) => /former|fresh|fixed/.exec(String(value))?.[0] ?? '';
  const texts = [
    ...Object.values(application).flatMap(({ dockerImage, env }) => [dockerImage, env]),
    ...Object.values(compose).flatMap(({ composeFile, env }) => [composeFile, env]),
    ...Object.values(mount as Readonly<Record<string, Row>>).map(({ content }) => content),
  ];
  return texts.map(versionOf);
}

/** What the state says that runs; `open`: a deployment is not over, failed or is due, or a restore is not over. */
function claimOf({ pending, stale, failed, inputs }: Deploys, former: string | undefined): 'former' | 'fresh' | 'open' {
  if (pending !== undefined || stale !== undefined || failed?.isRestoring === true) return 'open';
  return inputs === former ? 'former' : 'fresh';
}

/** Never both versions, and never a state that does not say which. Gives how many restores are open, and how many are over. */
async function expectOneVersion({ platform, files, underway }: Place, former: State | undefined, how: string) {
  const state = await readState(files);
  const seen = { restoring: 0, restored: 0 };
  for (const [address, known] of Object.entries(state?.deployments ?? {})) {
    const running = platform.running[state?.resources[address]?.id ?? ''] ?? '';
    const versions = new Set(running.match(/former|fresh/g));
    expect(versions.size, `${address}: ${how}\n${running}`).toBe(1);
    const claim = claimOf(known, former?.deployments[address]?.inputs);
    if (claim !== 'open') expect([...versions], `${address}: ${how}`).toEqual([claim]);
    const { failed, pending, stale, inputs } = known;
    if (failed?.isRestoring === true) seen.restoring += 1;
    else if (failed !== undefined) {
      seen.restored += 1;
      expect([pending, stale, inputs === failed.inputs], how).toEqual([undefined, undefined, false]);
    }
  }
  // What deploys was announced before it was sent.
  for (const { request } of underway.filter((one) => /\.(re)?deploy$/.test(one.request.path))) {
    const open = Object.entries(state?.deployments ?? {}).filter(([, known]) => claimOf(known, undefined) === 'open');
    const ids = open.map(([address]) => state?.resources[address]?.id ?? '');
    expect(
      ids.some((id) => request.body?.includes(`"${id}"`) === true),
      how,
    ).toBe(true);
  }
  for (const [path, content] of files) expect(content.text, `${path}: ${how}`).not.toContain('-canary');
  return seen;
}

test('a run that ends at any moment of a restore, or loses any answer, left one version running, a state that says which, and an apply ends it', async () => {
  const made = kindBench();
  Object.assign(made.secrets, { FORMER: 'former-canary', FRESH: 'fresh-canary', FIXED: 'fixed-canary' });
  const manifestOf = (version: string, image: string) => made.manifest(text(version, image));
  const former = await manifestOf('former', 'web:1-former');
  const fresh = await manifestOf('fresh', 'web:2-fresh-will-exit-1-after-5s');
  const fixed = await manifestOf('fixed', 'web:3-fixed');
  const empty: Place = { platform: imageOf(worldWithMember()), files: new Map(), at: 0, underway: [] };
  const before = await runProcess(empty, { manifest: former, adoption: true });
  expect(before.failures).toEqual([]);
  const moments: Moment[] = [];
  for (const seed of [0, 1, 2]) {
    const ended = await runProcess(before.place, { manifest: fresh, seed }, (moment) => void moments.push(moment));
    expect(ended.failures).toHaveLength(2);
    expect(new Set(versionsIn(ended.platform.emulator.world.tables))).toEqual(new Set(['former']));
  }
  const crashes = moments.flatMap((moment) => crashesAt(moment, false));
  const kills = thinned(crashes, 23);
  const posts = Math.ceil(
    moments.filter(({ what }) => what.endsWith(' is on its way') && !what.startsWith('the answer')).length / 3,
  );
  const losses = Array.from({ length: posts }, (_, at) => at + 1).flatMap((nth) =>
    (['request', 'answer'] as const).map((what) => ({ nth, what })),
  );
  const seen = { restoring: 0, restored: 0 };
  const places = kills.map(({ place, how }) => ({ place, how }));
  for (const loses of thinned(losses, 9)) {
    const how = `the ${loses.what} number ${loses.nth} is lost`;
    const later: Crash[] = [];
    const ended = await runProcess(
      before.place,
      { manifest: fresh, loses },
      (moment) => void later.push(...crashesAt(moment, false)),
    );
    expect(ended.failures, how).toHaveLength(2);
    // Its process goes on to its end, or dies at one of the moments after that.
    places.push({ place: ended.place, how }, ...later.slice(-20).filter((_, at) => at % 10 === loses.nth % 10));
  }
  expect(places.length).toBeGreaterThan(effort({ fast: 5, full: 30, all: 200 }));
  for (const { place, how } of places) {
    const { restoring, restored } = await expectOneVersion(place, before.state, how);
    seen.restoring += restoring;
    seen.restored += restored;
    await expectNextToEnd(place, { fresh, fixed, before: before.state, how });
  }
  expect(seen.restoring, JSON.stringify(seen)).toBeGreaterThan(0);
  expect(seen.restored, JSON.stringify(seen)).toBeGreaterThan(0);
});

/** The same change once more is refused or ends, and a repaired one is deployed; then nothing is planned. */
async function expectNextToEnd(
  place: Place,
  {
    fresh,
    fixed,
    before,
    how,
  }: { readonly fresh: Manifest; readonly fixed: Manifest; readonly before: State | undefined; readonly how: string },
): Promise<void> {
  const { deployments = {} } = (await readState(place.files)) ?? {};
  const next = await runProcess(place, { manifest: fresh });
  const isRefused = Object.values(deployments).filter(({ failed }) => failed !== undefined).length === 2;
  // What was on its way is carried out all the same.
  const { orders } = place.platform;
  if (isRefused) expect(next.place.platform.orders, how).toBeLessThanOrEqual(orders + place.underway.length);
  for (const { message } of next.left.actions.flatMap(({ notes }) => notes).filter(isFailedBefore))
    expect(message, how).toMatch(/the former version was deployed again|did not finish: the platform has/);
  await expectOneVersion(next.place, before, `${how}, and then once more`);
  const after = await runProcess(next.place, { manifest: fixed });
  const said = `${how}\n${next.said.join('\n')}`;
  expect([after.failures, actionsOf(after.left), after.platform.stale()], said).toEqual([[], [], []]);
  expect(new Set(versionsIn(after.platform.emulator.world.tables)), how).toEqual(new Set(['fixed']));
}

function isFailedBefore({ code }: { readonly code: string }): boolean {
  return code === 'failed-before';
}
