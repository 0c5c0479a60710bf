import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives this process, and those that it starts, one folder for all that they write; the result takes it away. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-tests-'));
  chmodSync(folder, 0o711); // servers run as users of their own
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
