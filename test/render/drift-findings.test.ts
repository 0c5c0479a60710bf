import { expect, it } from 'vitest';
import { driftJunit, driftSarif } from '../../src/render/drift-findings.ts';
import { driftView, findings } from './drifts.ts';

const site = { key: 'abc', folder: 'infra/', file: 'trueup.yaml' };

interface Log {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: {
          readonly rules: readonly {
            readonly id: string;
            readonly helpUri: string;
            readonly help: { readonly text: string };
          }[];
        };
      };
      readonly results: readonly Readonly<Record<string, unknown>>[];
    },
  ];
}

it('drift as SARIF has a result per finding, with its id as fingerprint', () => {
  const log = driftSarif(driftView(), site) as Log;
  const [{ tool, results }] = log.runs;
  expect(tool.driver.rules.map(({ id, helpUri }) => [id, helpUri])).toEqual([
    ['drift-drifted', 'https://unpkg.com/trueup/docs/drift.md'],
    ['drift-missing', 'https://unpkg.com/trueup/docs/drift.md'],
    ['drift-not-yet-applied', 'https://unpkg.com/trueup/docs/drift.md'],
  ]);
  expect(results.map(({ level, baselineState, suppressions }) => [level, baselineState, suppressions])).toEqual([
    ['warning', 'new', undefined],
    [
      'note',
      'unchanged',
      [{ kind: 'external', status: 'accepted', justification: 'vendor moves us (until 2026-12-31, by ops)' }],
    ],
    ['warning', 'new', undefined],
    ['note', 'unchanged', undefined],
    ['note', undefined, undefined],
    ['warning', 'new', undefined],
  ]);
  expect(results.map(({ partialFingerprints }) => partialFingerprints)).toEqual(
    findings.map(({ id }) => ({ primaryLocationLineHash: id, 'trueup/v1': id })),
  );
  expect(results[0]?.['message']).toEqual({
    text: 'production.compose.shop: env.REGION: eu-1 -> eu-2\nPut it back: trueup apply --target production.compose.shop. Keep what the platform has: trueup drift adopt production.compose.shop --field env.REGION. Leave it for now: trueup drift accept production.compose.shop --field env.REGION --until DATE --because TEXT',
  });
});

it('each rule of SARIF says what helps with its sort of finding', () => {
  const [first] = findings;
  const sorts = ['drifted', 'missing', 'unmanaged', 'duplicate', 'not yet applied'] as const;
  const view = driftView(sorts.flatMap((is) => (first === undefined ? [] : [{ ...first, id: is, is }])));
  const { runs } = driftSarif(view, site) as Log;
  const commands = runs[0].tool.driver.rules.map(({ id, help }) => [id, help.text.match(/trueup [a-z ]*[a-z]/g)]);
  expect(commands).toEqual([
    ['drift-drifted', ['trueup apply', 'trueup drift adopt', 'trueup drift accept']],
    ['drift-missing', ['trueup apply', 'trueup drift adopt']],
    ['drift-unmanaged', ['trueup export']],
    ['drift-duplicate', null],
    ['drift-not-yet-applied', ['trueup apply']],
  ]);
});

it('drift in the form of JUnit fails what is new, and skips what is known or accepted', () => {
  const [resolved] = findings;
  if (resolved === undefined) throw new Error('no finding');
  const view = driftView(findings, { resolved: [{ ...resolved, path: 'env.OLD' } as never] });
  expect(driftJunit(view, site)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trueup drift" tests="8" failures="3" errors="0" skipped="2" time="0">
  <testsuite name="trueup drift" tests="8" failures="3" errors="0" skipped="2" time="0">
    <testcase classname="drift" name="comparison" time="0"/>
    <testcase classname="drifted" name="production.compose.shop env.REGION" file="infra/trueup.yaml" time="0">
      <failure message="env.REGION: eu-1 -&#62; eu-2" type="drift-drifted">env.REGION: eu-1 -&#62; eu-2
Put it back: trueup apply --target production.compose.shop. Keep what the platform has: trueup drift adopt production.compose.shop --field env.REGION. Leave it for now: trueup drift accept production.compose.shop --field env.REGION --until DATE --because TEXT</failure>
    </testcase>
    <testcase classname="drifted" name="production.compose.shop env.TAG" file="infra/trueup.yaml" time="0">
      <skipped message="accepted until 2026-12-31 by ops: vendor moves us"/>
      <system-out>env.TAG: eu-1 -&#62; eu-2
  accepted until 2026-12-31 by ops: vendor moves us</system-out>
    </testcase>
    <testcase classname="missing" name="production.redis.old" file="infra/trueup.yaml" time="0">
      <failure message="gone from the platform (redis red_1)" type="drift-missing">gone from the platform (redis red_1)
Create it again: trueup apply --target production.redis.old. Remove its block from the manifest: trueup drift adopt production.redis.old. Leave it for now: trueup drift accept production.redis.old --until DATE --because TEXT</failure>
    </testcase>
    <testcase classname="drifted" name="production.compose.shop description" file="infra/trueup.yaml" time="0">
      <skipped message="known since 2026-03-01"/>
      <system-out>description: eu-1 -&#62; eu-2
  known since 2026-03-01</system-out>
    </testcase>
    <testcase classname="not yet applied" name="production.compose.shop env.ZONE" file="infra/trueup.yaml" time="0">
      <system-out>env.ZONE: eu-2 -&#62; eu-1</system-out>
    </testcase>
    <testcase classname="drifted" name="production.compose.shop env.AREA" file="infra/trueup.yaml" time="0">
      <failure message="env.AREA: eu-1 -&#62; eu-2" type="drift-drifted">env.AREA: eu-1 -&#62; eu-2
  was accepted until 2026-01-31 by ops: until the move
Put it back: trueup apply --target production.compose.shop. Keep what the platform has: trueup drift adopt production.compose.shop --field env.AREA. Leave it for now: trueup drift accept production.compose.shop --field env.AREA --until DATE --because TEXT</failure>
    </testcase>
    <testcase classname="drifted" name="production.compose.shop env.OLD" time="0">
      <system-out>resolved</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
});

it('a result of SARIF names its field once', () => {
  const [first] = findings;
  if (first === undefined) throw new Error('no finding');
  const { runs } = driftSarif(driftView([{ ...first, path: 'model', field: 'model' }]), site) as Log;
  const text = expect.stringMatching(/^production\.compose\.shop: model: eu-1 -> eu-2\n/);
  expect(runs[0].results[0]?.['message']).toEqual({ text });
});
