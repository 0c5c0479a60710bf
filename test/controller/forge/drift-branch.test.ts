import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { driftBranch } from '../../../src/controller/forge/drift-branch.ts';

test('the branch of a stack has its name where git takes that', () => {
  expect(driftBranch({ source: 'shop', path: 'infra/trueup.yaml' })).toBe('trueup/drift/shop/infra/trueup.yaml');
});

test('the branches of all stacks are names that git takes, and differ', () => {
  const paths = [
    'a b.yaml',
    'a-b.yaml',
    'a..b.yaml',
    '.a/b.yaml',
    '-a/b.yaml',
    'a.lock/b.yaml',
    'a@{b.yaml',
    'ü.yaml',
    '\u202e.yaml',
    'a~b.yaml',
  ];
  const branches = paths.map((path) => driftBranch({ source: 'shop', path }));
  expect(new Set(branches).size).toBe(paths.length);
  for (const branch of branches)
    expect(execFileSync('git', ['check-ref-format', '--branch', branch]).toString().trim()).toBe(branch);
});
