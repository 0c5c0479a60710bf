import { describe, expect, test } from 'vitest';
import type { Change, Shown } from '../../src/plan/action.ts';
import { redactPlan } from '../../src/plan/redacted.ts';
import { actionOf, inputOf } from '../support/plan-values.ts';

/** Nothing that a plan shows of the platform is a secret of the run, wherever there it stands. */

const redact = (text: string) => text.replaceAll('main', '(sensitive)');

describe('a plan', () => {
  const change = (before: Shown, more: Partial<Change> = {}): Change => ({
    path: 'env.A',
    cause: 'edit',
    before,
    after: { is: 'known after apply' },
    atDeploy: false,
    forcesReplacement: false,
    ...more,
  });
  const { state, observed } = inputOf({});
  const redacted = (more: Parameters<typeof actionOf>[1]) => {
    const actions = [actionOf('production.redis.main', more)];
    return redactPlan({ base: state, saved: state, observed, actions, diagnostics: [] }, redact).actions[0];
  };

  test('hides a value of the platform with a secret in it, however deep, and shows all others', () => {
    const secret: Shown = { is: 'value', value: { a: ['b', 'in main'] } };
    const harmless: Shown = { is: 'value', value: ['b'] };
    const action = redacted({
      changes: [change(secret, { after: secret, last: secret }), change(harmless, { after: harmless, last: harmless })],
    });
    expect(action?.changes).toStrictEqual([
      // Of the manifest is shown what git shows.
      change({ is: 'hidden' }, { after: secret, last: { is: 'hidden' } }),
      change(harmless, { after: harmless, last: harmless }),
    ]);
  });

  test.each<[string, string, Shown]>([
    ['the part of several lines', 'a: main\nb: 1\n', { is: 'masked', value: 'a: (sensitive)\nb: 1\n' }],
    ['several lines without anything else', 'main\n main\n', { is: 'hidden' }],
    ['one line, also with a line end', 'a: main\n', { is: 'hidden' }],
    ['one line, also after others that are empty', 'a: main\n\n  ', { is: 'hidden' }],
  ])('hides of a text %s', (_what, value, shown) => {
    for (const is of ['value', 'masked'] as const)
      expect(redacted({ changes: [change({ is, value })] })?.changes).toStrictEqual([change(shown)]);
  });

  test('stays the same object where it has none', () => {
    const actions = [actionOf('production.redis.main', { changes: [change({ is: 'value', value: 'b' })] })];
    expect(redactPlan({ base: state, saved: state, observed, actions, diagnostics: [] }, redact).actions[0]).toBe(
      actions[0],
    );
  });

  test('leaves alone what is no value', () => {
    const changes = [change({ is: 'absent' })];
    expect(redacted({ changes })?.changes).toStrictEqual(changes);
  });
});
