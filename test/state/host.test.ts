import { expect, test } from 'vitest';
import { createMemory } from '../../src/state/backends/memory.ts';
import { systemClock } from '../../src/state/clock.ts';
import { thisHost } from '../../src/state/host.ts';
import { usualTaking } from '../../src/state/lease.ts';
import { takeLease } from '../../src/state/take-lease.ts';
import { stopOf } from './conformance.ts';

/** Which process is on which machine: a pid that nobody has here says nothing of another machine of the same name. */

const taken = async (marks: () => readonly string[]) => {
  const { lease } = createMemory(systemClock).medium;
  const nobody = () => false;
  await takeLease(lease, { purpose: 'apply' }, usualTaking({ host: { ...thisHost(marks), isAlive: nobody } }));
  return takeLease(lease, { purpose: 'plan' }, usualTaking({ host: { ...thisHost(marks), isAlive: nobody } }));
};

test('a process that is gone from this boot of this machine is gone', async () => {
  expect((await taken(() => ['boot-1'])).counter).toBe(2);
  expect(thisHost().machine).toBe(thisHost().machine);
});

test('where nothing tells one machine from another of its name, no pid proves anything', async () => {
  expect((await stopOf(taken(() => []))).failure).toBe('locked');
});
