import { type StdioOptions, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

/** A process and its machine. */
export interface Host {
  /** `user@machine pid 12`. */
  readonly owner: string;
  /** The scope of its pid: one boot of one machine, and in a container the container. */
  readonly machine: string;
  readonly pid: number;
  /** Tells whether a process of this machine runs. */
  readonly isAlive: (pid: number) => boolean;
  /** A new unique name. */
  readonly newId: () => string;
}

/**
 * This process. Two machines can have the same name: where no mark tells them apart, each process counts as a machine of
 * its own, and no process takes another one for dead.
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

/** The id of the boot; on Linux the pid namespace too: two containers can share a host name and both have a process 7. */
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

/** A container can run under a user id without a name. */
function userName(user: () => string): string {
  try {
    return user();
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Whether a draft of a process of this machine is left: the process is gone, or it is this one, which writes none now. */
export function isLeftBy(pid: number): boolean {
  return pid === process.pid || !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
