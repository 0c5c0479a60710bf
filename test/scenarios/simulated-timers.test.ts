import { describe, expect, test } from 'vitest';
import { virtualTime } from '../../src/state/conformance/virtual-time.ts';
import { simulateTimers, timersRunIn } from '../support/crashes/timers.ts';

/** What one file replaces, another file of its worker would wait on for ever. */

const real = [setTimeout, clearTimeout];

describe('timers of a simulated time', () => {
  simulateTimers();

  test('are those of the file', () => {
    timersRunIn(virtualTime());
    expect([setTimeout, clearTimeout]).not.toEqual(real);
  });
});

test('are real again behind it', () => {
  expect([setTimeout, clearTimeout]).toEqual(real);
});
