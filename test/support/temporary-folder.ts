import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const prefix = `trueup-tests-${process.pid}-`;

/**
 * Gives this process, and those that it starts, one folder for all that they write; the result takes it away. Each project
 * of a run asks for it, and the first one makes it. Workers end meanwhile: a removal that blocks makes them look late.
 */
export default function setup(): () => Promise<void> {
  if (basename(tmpdir()).startsWith(prefix)) return () => Promise.resolve();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o711); // servers run as users of their own
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
