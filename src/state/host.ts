import type { StdioOptions } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

/** A process, as others are told of it. */
export interface Host {
  /** Who runs it, and where: `user@machine pid 12`. */
  readonly owner: string;
  /** Where its pid means something: the machine since it was started, and in a container the container. */
  readonly machine: string;
  readonly pid: number;
  /** Whether a process of the same machine is there. */
  readonly isAlive: (pid: number) => boolean;
  /** A name that nothing had before. */
  readonly newId: () => string;
}

/**
 * This process. Two machines may have one name: where nothing else tells them apart, each process is a machine of its
 * own, and nobody takes another one for dead.
 */
export function thisHost(marks: () => readonly string[] = bootMarks, user: () => string = loginName): Host {
  const known = marks();
  return {
    owner: `${userName(user)}@${hostname()} pid ${process.pid}`,
    machine: [hostname(), ...(known.length === 0 ? [randomUUID()] : known)].join(' '),
    pid: process.pid,
    isAlive,
    newId: randomUUID,
  };
}

/** The id of the boot; on Linux the namespace of pids too: two containers may have one host name, and each a process 7. */
function bootMarks(): string[] {
  try {
    if (process.platform === 'darwin') {
      const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
      const id = execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', stdio }).trim();
      return id === '' ? [] : [id];
    }
    return [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readlinkSync('/proc/self/ns/pid')];
  } catch {
    return [];
  }
}

function loginName(): string {
  return userInfo().username;
}

/** A container may run under a number that nobody gave a name. */
function userName(user: () => string): string {
  try {
    return user();
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
