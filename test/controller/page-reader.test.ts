import { expect, test } from 'vitest';
import { remedyOnPage } from '../../src/controller/page-reader.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import { safeguards } from '../../src/diagnostics/safeguards.ts';

/** What nobody can do who reads a page. */
const command = /(?:^|\s)--[a-z]|\btrueup [a-z]|TRUEUP_(?:API_KEY|STATE_|URL|DEBUG)/;

test('no remedy of any code names a command or an option on a page, and each says something', () => {
  const all = Object.entries(codes).map(([code, { severity, remedy }]) => {
    return [code, remedyOnPage({ code, severity, remedy }), severity] as const;
  });
  expect(all.length).toBeGreaterThan(80);
  for (const [code, remedy, severity] of all) {
    if (severity === 'note' && remedy === undefined) continue;
    expect([code, remedy]).toEqual([code, expect.stringMatching(/^[A-Z].*[.]$/) as string]);
    expect([code, remedy]).not.toEqual([code, expect.stringMatching(command) as string]);
  }
});

test('what an option permits, an approval does', () => {
  const permitted = Object.values(safeguards).filter((one) => 'permission' in one);
  for (const { code } of permitted)
    expect(remedyOnPage({ code, remedy: 'Give --some-option.' })).toMatch(/approve the plan|Approve the plan/);
});

test.each([
  ['Correct the line.', 'Correct the line.'],
  ['Give it one with --var tag=… or TRUEUP_VAR_tag, or declare a default.', 'Declare a default.'],
  [
    'Set TRUEUP_SECRET_TOKEN, or declare a source under secrets:.',
    'Set TRUEUP_SECRET_TOKEN, or declare a source under secrets:. Such a variable stands in the file of variables of the platform.',
  ],
  [
    'Look at the manifest. To delete all, use trueup destroy; or say so under moved:.',
    'Look at the manifest. Or say so under moved:.',
  ],
  ['trueup logs a.b --deployment shows more.', 'Its log on the platform shows more.'],
  ['Run trueup doctor.', 'Change the manifest and push it, or ask who runs the controller.'],
  ['Set TRUEUP_API_KEY to it.', 'Set the key of the platform to it.'],
  [
    'Look at TRUEUP_STATE_URL and at the database. Nothing was overwritten.',
    'Look at the address of the database and at the database. Nothing was overwritten.',
  ],
  ['Do that step, then apply again.', 'Do that step, then push again, or wait until it is tried again.'],
  [
    'Write that and apply, then change the line and apply again.',
    'Write that and apply, then change the line and push again.',
  ],
  ['Run the job of `trueup-ci` again.', 'Run the job of `trueup-ci` again.'],
])('%j is %j on a page', (remedy, words) => {
  expect(remedyOnPage({ code: 'usage', remedy })).toBe(words);
});

test('what has no remedy gets none', () => {
  expect(remedyOnPage({ code: 'usage' })).toBeUndefined();
});
