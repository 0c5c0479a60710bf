import { describe, expect, test } from 'vitest';
import type { DriftDocument, PlanDocument } from '../../src/render/document-schemas.ts';
import { titleOf, verdictOf } from '../../src/render/verdict.ts';
import { noPlan, resultOf } from '../support/documents.ts';
import { bench, head } from '../support/world.ts';
import { driftView } from './drifts.ts';
import { shown } from './plans.ts';

/** The last sentence of a plan, an apply and a comparison. */

type NotCompared = PlanDocument['notCompared'][number];
const missing = (path: string, ...secrets: string[]): NotCompared => ({
  address: 'production.compose.shop',
  path,
  why: 'secret missing',
  secrets,
});
const notReturned: NotCompared = { address: 'sshKeys.deploy', path: 'privateKey', why: 'not returned' };
const leftOut: NotCompared = { address: 'staging.redis.cache', why: 'left out' };
const withCode = (severity: 'error' | 'note') => [{ code: 'x', severity, message: 'x' }];
const ofPlan = (over: Partial<PlanDocument>) => verdictOf({ ...noPlan, ...over });

describe('a plan without changes', () => {
  test('says that the platform matches only where everything was compared, and nothing differs', () => {
    expect(ofPlan({ compared: 4 })).toBe('No changes. The platform matches the manifest.');
    expect(ofPlan({ diagnostics: withCode('note') })).toContain('matches');
    const others = [
      ofPlan({ notCompared: [notReturned] }),
      ofPlan({ left: 1 }),
      ofPlan({ ignored: 2 }),
      ofPlan({ diagnostics: withCode('error') }),
      ofPlan({ notCompared: [leftOut] }),
      ofPlan({ narrowed: { targets: ['a'], excludes: [], leftOut: [] } }),
    ];
    for (const words of others) expect(words).not.toContain('matches');
    expect(others.slice(0, 5)).toEqual([
      'No changes in what was compared. 1 field was not compared: it is not returned by the platform.',
      'No changes. 1 field differs on the platform and stays so.',
      'No changes. 2 fields are ignored by the platform.',
      '',
      'No changes in what was compared. 1 resource was not compared: it is left out of this plan.',
    ]);
  });

  test('names the secrets that are missing, and gives each reason with its number', () => {
    const notCompared = [missing('env.A', 'SMTP_PASS'), missing('env.B', 'SMTP_PASS', 'KEY'), notReturned];
    expect(ofPlan({ notCompared })).toBe(
      'No changes in what was compared. 3 fields were not compared: 2 need secrets that this run does not have (SMTP_PASS, KEY), 1 is not returned by the platform.',
    );
  });
});

test('a plan with changes counts what was not compared too, and makes no claim about what it leaves out', () => {
  const plan: PlanDocument = { ...noPlan, hasChanges: true, notCompared: [missing('env.A', 'A'), leftOut] };
  const words = ' 1 field was not compared: it needs a secret that this run does not have (A).';
  expect(verdictOf(plan)).toMatch(new RegExp(`^Plan: .*\\.${words.replaceAll(/[().]/g, '\\$&')}$`));
  expect(titleOf(plan)).not.toContain('Plan: ');
});

test('an apply says of what it did not write only what the plan compared', () => {
  const ended = { plan: { ...noPlan, notCompared: [notReturned] } };
  const result = resultOf({ outcomes: [], state: { resources: {} } as never }, ended);
  expect(verdictOf(result)).toBe(
    'No changes in what was compared. 1 field was not compared: it is not returned by the platform.',
  );
});

test('a comparison says that the platform is as applied only where all of it was compared', () => {
  const ofDrift = (over: Partial<DriftDocument>) => verdictOf({ ...driftView([]), exitCode: 0, ...over });
  expect(ofDrift({})).toBe('No drift: the platform is as it was applied.');
  expect(ofDrift({ notCompared: [notReturned] })).toBe(
    'No drift in what was compared. 1 field was not compared: it is not returned by the platform.',
  );
  expect(ofDrift({ diagnostics: withCode('error') })).toBe('No drift in what was compared.');
  expect(ofDrift({ notCompared: [missing('env.A', 'A')] })).toBe(
    'No drift: the platform is as it was applied. 1 field was compared with the last apply only: it needs a secret that this run does not have (A).',
  );
});

test('a plan whose run lacks a secret does not say that everything matches', async () => {
  const made = bench();
  const text = `${head}environments:\n  production:\n    redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:PW}" } }\n`;
  made.secrets['PW'] = 'correct-horse-1';
  await made.apply(text, { adoption: true });
  expect(shown(await made.plan(text))).toBe('No changes. The platform matches the manifest.\n');
  delete made.secrets['PW'];
  expect(shown(await made.plan(text))).toBe(
    'No changes in what was compared. 1 field was not compared: it needs a secret that this run does not have (PW).\n',
  );
});
