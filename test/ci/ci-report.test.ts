import { expect, test } from 'vitest';
import { outputBlock } from '../../src/ci/ci-report.ts';

test('no line of an output begins with a command of a forge, and none ends its block', () => {
  const block = outputBlock('/close\n```\n/approve\n');
  expect(block).toBe('````text\n  /close\n  ```\n  /approve\n````');
});
