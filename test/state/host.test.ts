import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMemory } from '../../src/state/backends/memory.ts';
import { systemClock } from '../../src/state/clock.ts';
import { thisHost } from '../../src/state/host.ts';
import { leaseContext } from '../../src/state/lease.ts';
import { takeLease } from '../../src/state/take-lease.ts';
import { stopOf } from '../../src/state/conformance/states.ts';

/** Which process is on which machine: a pid that nobody has here says nothing of another machine of the same name. */

const taken = async (marks: () => readonly string[]) => {
  const { lease } = createMemory(systemClock).storage;
  const nobody = () => false;
  await takeLease(lease, { purpose: 'apply' }, leaseContext({ host: { ...thisHost(marks), isAlive: nobody } }));
  return takeLease(lease, { purpose: 'plan' }, leaseContext({ host: { ...thisHost(marks), isAlive: nobody } }));
};

test('a process that is gone from this boot of this machine is gone', async () => {
  expect((await taken(() => ['boot-1'])).counter).toBe(2);
  expect(thisHost().machine).toBe(thisHost().machine);
});

test('where two machines of one name cannot be distinguished, no pid proves anything', async () => {
  expect((await stopOf(taken(() => []))).failure).toBe('locked');
});

describe('a process', () => {
  test('is named by its user, its machine and its pid', () => {
    const { owner, pid } = thisHost();
    expect(owner).toBe(`${userInfo().username}@${hostname()} pid ${process.pid}`);
    expect(pid).toBe(process.pid);
  });

  test('is named by the number of its user where that has no name', () => {
    const nameless = () => {
      throw new Error('ENOENT');
    };
    const uid = vi.spyOn(process, 'getuid').mockReturnValue(4711);
    expect(thisHost(() => [], nameless).owner).toBe(`uid 4711@${hostname()} pid ${process.pid}`);
    uid.mockRestore();
  });

  test('is alive while it runs, for every user, and gone afterwards', () => {
    const { isAlive } = thisHost();
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(spawnSync(process.execPath, ['-e', '']).pid)).toBe(false);
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    expect(isAlive(4711)).toBe(true);
    expect(kill).toHaveBeenCalledWith(4711, 0);
    kill.mockRestore();
  });

  test('gives every lease a name of its own', () => {
    const { newId } = thisHost();
    expect(new Set([newId(), newId(), newId()]).size).toBe(3);
  });
});

describe('a machine', () => {
  const { platform } = process;
  const { PATH } = process.env;
  afterEach(() => {
    Object.defineProperty(process, 'platform', { value: platform });
    process.env.PATH = PATH;
  });

  /** The machine of a Mac whose `sysctl` is a script. */
  const onMac = (script: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-sysctl-'));
    writeFileSync(join(folder, 'sysctl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    process.env.PATH = `${folder}:${PATH ?? ''}`;
    return thisHost().machine;
  };

  test.runIf(platform === 'linux')('is its name, its boot, and the namespace of its pids', () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    expect(thisHost().machine).toBe([hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(' '));
  });

  test('is its name and its boot on a Mac', () => {
    expect(onMac('echo "boot of $*"')).toBe(`${hostname()} boot of -n kern.bootsessionuuid`);
  });

  test.each(['exit 1', 'exit 0'])('is another one for each process where the boot id is unknown: %s', (script) => {
    const machine = onMac(script);
    expect(machine).toMatch(/^\S+ [\da-f-]{36}$/);
    expect(thisHost().machine).not.toBe(machine);
  });

  test('is known by the marks that it is given', () => {
    expect(thisHost(() => ['boot', 'space']).machine).toBe(`${hostname()} boot space`);
  });
});
