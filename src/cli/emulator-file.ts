import { dirname } from 'node:path';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { EmulatorOptions } from '../emulator/emulator.ts';
import { openEmulator } from '../emulator/disk.ts';
import { acquireLock } from '../state/lock.ts';

/** Opens the emulator that keeps its world in a file; a file takes one process at a time. */
export async function openEmulatorFile(file: string, purpose: string, options: EmulatorOptions = {}) {
  // Beside the file and not in its folder itself, where the lock of the state is.
  const lock = await acquireLock(`${file}.open`, purpose);
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
    throw new Stop(
      'state',
      [
        diagnostic(
          'state-unusable',
          `the emulator cannot use ${file}: ${error instanceof Error ? error.message : ''}`,
          {
            remedy: `Correct the file, or remove it to begin with a fresh world. It is in ${dirname(file)}.`,
          },
        ),
      ],
      { cause: error },
    );
  }
}
