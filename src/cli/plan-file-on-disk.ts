import { type Stats, constants, realpathSync } from 'node:fs';
import { lstat, open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { type PlanFile, isPlanFileText, parsePlanFile, planFileText } from '../plan/plan-file.ts';
import { withDrafts } from '../project/drafts.ts';
import { leavesWorkspace } from '../project/links.ts';
import { readVersion } from '../project/version.ts';
import type { ReviewedPlan } from '../workflow/reviewed.ts';

/** Size limit of a plan file, in bytes. */
const limit = 64 * 1024 * 1024;

/** Writes a plan file completely or not at all; `path` starts in `folder`. Never overwrites another kind of file. @throws {Stop} `refused` */
export async function writePlanFile(folder: string, path: string, file: PlanFile): Promise<void> {
  const target = resolve(folder, path);
  const text = planFileText(file);
  if (Buffer.byteLength(text) > limit)
    throw unusable(path, `would have more than ${limit} bytes`, 'Split the project.');
  try {
    await refuseOther(target, path);
    await replaceFile(target, text);
  } catch (error) {
    if (error instanceof Stop) throw error;
    const remedy = remedyForDisk(error) ?? 'Name a file in a writable folder.';
    throw unusable(path, `cannot be written (${reasonOf(error)})`, remedy, error);
  }
}

/**
 * Refuses a plan file that would be written elsewhere by a link in the repository; `path` starts in `folder`.
 *
 * @throws {Stop} `refused`
 */
export function checkPlanPath(workspace: string, folder: string, path: string): void {
  const target = resolve(folder, path);
  if (![workspace, realpathSync(workspace)].some((root) => leavesWorkspace(root, target))) return;
  throw unusable(path, 'leads out of the folder of the manifest by a link', 'Name a file that no link leads to.');
}

/** Reads a plan file; `path` starts in `folder`. @throws {Stop} `refused` */
export async function readPlanFile(folder: string, path: string): Promise<ReviewedPlan> {
  let text: string;
  try {
    text = await readText(resolve(folder, path), path);
  } catch (error) {
    if (error instanceof Stop) throw error;
    const remedy = remedyForDisk(error) ?? 'Write one with trueup plan --out FILE.';
    throw unusable(path, `cannot be read (${reasonOf(error)})`, remedy, error);
  }
  const parsed = parsePlanFile(text);
  if ('problem' in parsed) throw unusable(path, parsed.problem, parsed.remedy);
  return { file: parsed, name: `the plan in ${path}`, version: readVersion() };
}

async function readText(target: string, path: string): Promise<string> {
  // So that it does not wait for the writer of a pipe.
  const handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile())
      throw unusable(path, `is ${whatItIs(stat)} and no file`, 'Write one with trueup plan --out FILE.');
    if (stat.size > limit) {
      throw unusable(path, `has ${stat.size} bytes, and no plan has more than ${limit}`, 'Name the right file.');
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Refuses to overwrite anything but a plan file, such as the manifest. */
async function refuseOther(target: string, path: string): Promise<void> {
  const remedy = 'Name another file, or remove it.';
  const stat = await lstat(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (stat === undefined) return;
  if (!stat.isFile()) throw unusable(path, `is ${whatItIs(stat)}; it was not overwritten`, remedy);
  if (stat.size === 0) return;
  const handle = await open(target, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    if (isPlanFileText(buffer.toString('utf8', 0, bytesRead))) return;
  } finally {
    await handle.close();
  }
  throw unusable(path, 'exists and is not a plan file; it was not overwritten', remedy);
}

function whatItIs(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  return stat.isSymbolicLink() ? 'a symbolic link' : 'a device or a pipe';
}

async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await withDrafts(folder, async ({ write }) => rename(await write(text), path));
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function unusable(path: string, what: string, remedy: string, cause?: unknown): Stop {
  return stop('refused', 'plan-file', `the plan file ${path} ${what}`, { remedy, cause });
}
