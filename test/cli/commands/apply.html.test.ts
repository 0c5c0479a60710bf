import { expect, it } from 'vitest';
import { applyFormats } from '../../../src/cli/commands/apply.ts';
import { recordingTerminal } from '../../support/commands.ts';
import { documentOf } from '../../support/documents.ts';
import { bench, head } from '../../support/world.ts';

it('prints one page of a run, also where an error comes after it', async () => {
  const made = bench();
  const plan = await made.plan(`${head}environments: { production: {} }\n`);
  const { printed, terminal } = recordingTerminal();
  const view = await applyFormats['html']?.(terminal);
  view?.plan(documentOf(plan), false);
  expect(printed.out).toBe('');
  const error = { code: 'defect', severity: 'error', message: 'the lock was lost' } as const;
  for (let times = 0; times < 2; times++) view?.failure([error], 1);
  expect(printed.out.match(/<!doctype html>/g)).toHaveLength(1);
  expect(printed.out).toContain('the lock was lost');
  expect(printed.err.match(/the lock was lost/g)).toHaveLength(2);
});
