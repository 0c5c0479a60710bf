import { expect, it } from 'vitest';
import { acceptedText, parseAccepted } from '../../src/manifest/accepted-drift.ts';

const entry = { kind: 'redis', objectId: 'red_1', until: '2026-07-05', because: 'a test', by: 'ops' };

it.each(['', '# nothing yet\n', 'trueup-accepted: 1\n', 'trueup-accepted: 1\naccepted: []\n'])(
  'a file of accepted drift without entries takes one (%j)',
  (before) => {
    const diagnostics: [] = [];
    expect(parseAccepted('accepted.yaml', acceptedText(before, [entry]), diagnostics)).toMatchObject([entry]);
    expect(diagnostics).toEqual([]);
  },
);
