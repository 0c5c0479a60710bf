import { describe, expect, it } from 'vitest';
import { codes } from '../../../src/diagnostics/codes.ts';
import { documentOf, trueup } from '../process.ts';

describe('trueup explain', () => {
  it('U12: prints what a code means, a manifest that has the mistake, what is reported, and the remedy', async () => {
    const { code, out, err } = await trueup(['explain', 'unknown-key']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(
      'error[unknown-key]\nThe manifest, or the input of a call, has a key that does not exist there.',
    );
    expect(out).toContain('  environments:\n');
    expect(out).toContain('  a postgres has no key dockerimage\n');
    expect(out).toContain('  -> Correct the key.');
  });

  it('takes a code as it is printed', async () => {
    expect((await trueup(['explain', 'error[data-at-risk]'])).out).toContain(codes['data-at-risk'].meaning);
  });

  it('explains a code also where TRUEUP_PINNED is wrong', async () => {
    const run = await trueup(['explain', 'unknown-key'], { env: { TRUEUP_PINNED: 'yes' } });
    expect(run).toEqual(await trueup(['explain', 'unknown-key']));
    expect(run.code).toBe(0);
  });

  it('prints a document', async () => {
    const ran = await trueup(['explain', 'overlap', '--format', 'json']);
    const { severity, meaning, remedy } = codes.overlap;
    expect(documentOf(ran)).toMatchObject({ format: 'trueup/explanation', code: 'overlap', severity, meaning, remedy });
  });

  it.each(['unknown-keys', 'constructor', '__proto__', ''])('refuses %j, which is none', async (name) => {
    const { code, out, err } = await trueup(['explain', name]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`there is no code ${name}`);
    expect(err).toContain(
      name === 'unknown-keys' ? 'Did you mean unknown-key?' : 'docs/diagnostics.md lists all codes.',
    );
  });
});
