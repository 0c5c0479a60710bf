import { dirname } from 'node:path';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import type { EmulatorOptions } from '../emulator/emulator.ts';
import { openEmulator } from '../emulator/emulator-on-disk.ts';
import { folderRegister } from '../state/backends/folder-register.ts';
import { type Lease, leaseContext } from '../state/lease.ts';
import { takeLease } from '../state/take-lease.ts';

/** Opens the emulator that keeps its world in a file; a file takes one process at a time. */
export async function openEmulatorFile(file: string, purpose: string, options: EmulatorOptions = {}) {
  // Beside the file and not in its folder itself, where the lock of the state is.
  const lock = await lockFile(file, purpose);
  try {
    const emulator = await openEmulator(file, options);
    return {
      emulator,
      close: async () => {
        try {
          await emulator.close();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw stop(
      'state',
      'state-unusable',
      `the emulator cannot use ${file}: ${error instanceof Error ? error.message : ''}`,
      {
        remedy: `Correct the file, or remove it to begin with a fresh world. It is in ${dirname(file)}.`,
        cause: error,
      },
    );
  }
}

/** Locks the file of an emulator for as long as its process is there: the emulator writes it at any time. */
async function lockFile(file: string, purpose: string): Promise<Lease> {
  const folder = `${file}.open`;
  const terms = { beatMs: 86_400_000, lastsMs: Number.MAX_SAFE_INTEGER, inFlightMs: 0 };
  try {
    return await takeLease(folderRegister(folder, { of: `the world ${file}` }), { purpose }, leaseContext({ terms }));
  } catch (error) {
    if (!(error instanceof Stop) || error.failure !== 'locked') throw error;
    const remedy = `Wait for it to end. If it is gone for good, remove the folder ${folder}.`;
    throw stop('locked', 'locked', error.message, { remedy, holder: error.holder, cause: error });
  }
}
