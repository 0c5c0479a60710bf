import { expect, it } from 'vitest';
import { applyFormats } from '../../../src/cli/commands/apply.ts';
import { noSite } from '../../../src/render/review-site.ts';
import { plainStyle } from '../../../src/render/style.ts';
import { documentOf } from '../../support/documents.ts';
import { bench, head } from '../../support/world.ts';

it('prints one page of a run, also where an error comes after it', async () => {
  const made = bench();
  const plan = await made.plan(`${head}environments: { production: {} }\n`);
  let [out, err] = ['', ''];
  const view = await applyFormats['html']?.({
    out: (text) => (out += text),
    err: (text) => (err += text),
    raw: () => {},
    clear: () => {},
    size: undefined,
    outStyle: plainStyle,
    errStyle: plainStyle,
    live: undefined,
    site: () => noSite,
  });
  view?.plan(documentOf(plan), false);
  expect(out).toBe('');
  const error = { code: 'defect', severity: 'error', message: 'the lock was lost' } as const;
  for (let times = 0; times < 2; times++) view?.failure([error], 1);
  expect(out.match(/<!doctype html>/g)).toHaveLength(1);
  expect(out).toContain('the lock was lost');
  expect(err.match(/the lock was lost/g)).toHaveLength(2);
});
