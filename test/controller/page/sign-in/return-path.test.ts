import { expect, test } from 'vitest';
import { returnPath } from '../../../../src/controller/page/sign-in/return-path.ts';

const address = 'https://trueup.example.com';

test.each([
  ['/', '/'],
  ['/stacks/shop%3Aa.yaml?tab=drift&x=1', '/stacks/shop%3Aa.yaml?tab=drift&x=1'],
  ['/a/../b', '/b'],
  ['/%2f%2fevil.example', '/%2f%2fevil.example'],
  ['/@evil.example', '/@evil.example'],
])('%j leads to %j, a path of this page', (asked, path) => {
  expect(returnPath(asked, address)).toBe(path);
  expect(new URL(returnPath(asked, address), address).origin).toBe(address);
});

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/./\\evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  'https://evil.example',
  'https:evil.example',
  'https:/evil.example',
  'http://trueup.example.com',
  'https://trueup.example.com@evil.example',
  'https://trueup.example.com.evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '%2f%2fevil.example',
  '/a\r\nlocation: https://evil.example',
  '/\u2028/evil.example',
  '/／evil.example',
  '/sign-in?to=/sign-in',
  '/sign-out',
  `/${'a'.repeat(2_001)}`,
  '',
  undefined,
  ['/a', '//evil.example'],
  { toString: () => '/a' },
])('%j is no way back', (asked) => {
  expect(returnPath(asked, address)).toBe('/');
});
