import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { folderStorage } from '../../../src/state/backends/local.ts';
import type { Disk, DiskFile } from '../../../src/state/disk.ts';
import { nodeDisk } from '../../../src/state/disk.ts';
import { storeOver } from '../../../src/state/store.ts';
import { createActivity } from '../activity.ts';
import { conforms } from '../conformance.ts';
import type { Where } from '../../../src/state/conformance/bench.ts';
import type { VirtualProcess } from '../../../src/state/conformance/virtual-processes.ts';
import { processTime } from '../../../src/state/conformance/virtual-processes.ts';
import { diskError, hooked } from '../faulty-disk.ts';
import { testKeys } from '../../support/state-key.ts';

/** Processes die here, and no machine does: the disk counts its syncs and does none. `local.disk-faults.test.ts` asks for each. */
let syncs = 0;
const sync = () => Promise.resolve(void (syncs += 1));
afterAll(() => expect(syncs).toBeGreaterThan(1_000));

conforms('in a folder', { isShared: false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-state-'));
  const deaths = new Map<VirtualProcess, { left: number; where: Where; die: () => void }>();
  let isDown = false;
  let bytes = 0;
  const activity = createActivity();
  const time = processTime(activity);
  const writtenAt = new Map<string, number>();
  const files = new Set<DiskFile>();
  /** The real disk, by the clock of the test, without syncs. */
  const timed: Disk = {
    ...nodeDisk,
    create: async (path) => {
      const file = await nodeDisk.create(path);
      let isClosed = false;
      const counting: DiskFile = {
        ...file,
        // A closed file cannot be synced.
        sync: () => (isClosed ? file.sync() : sync()),
        close: () => {
          isClosed = true;
          return file.close();
        },
      };
      files.add(counting);
      return counting;
    },
    syncFolder: sync,
    link: async (from, to) => {
      await nodeDisk.link(from, to);
      writtenAt.set(to, time.now());
    },
    ageOf: (path) => Promise.resolve(time.now() - (writtenAt.get(path) ?? 0)),
  };
  const diskOf = (process: VirtualProcess): Disk =>
    hooked(timed, async ({ text }, work) => {
      if (isDown) throw diskError('EIO');
      const death = deaths.get(process);
      if (death !== undefined && --death.left <= 0) {
        if (death.left === 0 && death.where === 'after') await work();
        activity.ended(process);
        death.die();
        return new Promise<never>(() => undefined);
      }
      bytes += Buffer.byteLength(text ?? '');
      return work();
    });
  return Promise.resolve({
    time,
    open: (process, name = '.') => {
      const storage = folderStorage(join(folder, name), diskOf(process));
      return Promise.resolve(storeOver(activity.watched(process, storage), { ...process, keys: testKeys }));
    },
    dieAt: (process, left, where) => new Promise((die) => void deaths.set(process, { left, where, die })),
    breakDown: () => {
      isDown = true;
    },
    mend: () => {
      isDown = false;
    },
    written: () => bytes,
    // Those of processes that were killed are still open.
    close: async () => void (await Promise.allSettled([...files].map((file) => file.close()))),
  });
});
