import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { World } from '../../src/emulator/world.ts';
import { crashesAt } from '../support/crashes/explore.ts';
import { imageOf } from '../support/crashes/platform.ts';
import { type Moment, type Place, readState, runProcess } from '../support/crashes/process.ts';
import { simulateTimers } from '../support/crashes/timers.ts';
import { actionsOf } from '../support/faults.ts';
import { kindBench, worldWithMember } from '../support/kind-world.ts';
import { production } from '../support/manifest-texts.ts';
import { effort } from '../support/whole.ts';

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

test('a run that ends at any moment of a restore left one version running, a state that says which, and an apply ends it', async () => {
  const made = kindBench();
  Object.assign(made.secrets, { FORMER: 'former-canary', FRESH: 'fresh-canary', FIXED: 'fixed-canary' });
  const [former, fresh, fixed] = await Promise.all(
    [
      text('former', 'web:1-former'),
      text('fresh', 'web:2-fresh-will-exit-1-after-5s'),
      text('fixed', 'web:3-fixed'),
    ].map((one) => made.manifest(one)),
  );
  if (former === undefined || fresh === undefined || fixed === undefined) throw new Error('a manifest is missing');
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
  expect(crashes.length).toBeGreaterThan(200);
  const seen = { restoring: 0, restored: 0 };
  for (const { place, how } of crashes.filter((_, at) => at % effort({ fast: 23, full: 1 }) === 0)) {
    // Each service runs one version; a mixture was never deployed.
    for (const running of Object.values(place.platform.running)) {
      const versions = new Set(running.match(/former|fresh/g));
      expect(versions.size, `${how}\n${running}`).toBeLessThanOrEqual(1);
    }
    for (const [path, content] of place.files) expect(content.text, `${path}: ${how}`).not.toContain('-canary');
    const { deployments = {} } = (await readState(place.files)) ?? {};
    for (const { failed, pending, stale, inputs } of Object.values(deployments)) {
      if (failed?.isRestoring === true) seen.restoring += 1;
      else if (failed !== undefined) {
        seen.restored += 1;
        expect([pending, stale, inputs === failed.inputs], how).toEqual([undefined, undefined, false]);
      }
    }
    const next = await runProcess(place, { manifest: fresh });
    const isRefused = Object.values(deployments).filter(({ failed }) => failed !== undefined).length === 2;
    // What was on its way is carried out all the same.
    const { orders } = place.platform;
    if (isRefused) expect(next.place.platform.orders, how).toBeLessThanOrEqual(orders + place.underway.length);
    for (const { message } of next.left.actions.flatMap(({ notes }) => notes).filter(isFailedBefore))
      expect(message, how).toMatch(/the former version was deployed again|did not finish: the platform has/);
    const after = await runProcess(next.place, { manifest: fixed });
    expect([after.failures, actionsOf(after.left), after.platform.stale()], `${how}\n${next.said.join('\n')}`).toEqual([
      [],
      [],
      [],
    ]);
    expect(new Set(versionsIn(after.platform.emulator.world.tables)), how).toEqual(new Set(['fixed']));
  }
  expect(seen.restoring, JSON.stringify(seen)).toBeGreaterThan(0);
  expect(seen.restored, JSON.stringify(seen)).toBeGreaterThan(0);
});

function isFailedBefore({ code }: { readonly code: string }): boolean {
  return code === 'failed-before';
}
