import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { decodeUtf8, withoutMark } from '../formats/utf8.ts';
import { yamlLimit } from '../manifest/load.ts';
import type { ValueFile } from '../manifest/variables.ts';
import { ciphertextInBytes, sourceOf } from '../secrets/ciphertext.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { usage } from '../diagnostics/usage.ts';
import { leavesWorkspace } from './links.ts';

/** Where files of values are looked for, and how they are read. */
interface ValueFolder {
  /** Of the manifest, absolute. */
  readonly folder: string;
  /** The folder that relative names begin in. */
  readonly cwd: string;
  readonly read?: (path: string) => Buffer;
  /** The option that names them, for messages. */
  readonly option?: string;
}

/**
 * Reads files with values of variables, each once: one may be a pipe. Their names are those below the folder of the manifest.
 * @throws {Stop} `usage`
 */
export function readValueFiles(
  named: readonly string[],
  { folder, cwd, read = readFileSync, option = '--var-file' }: ValueFolder,
): readonly ValueFile[] {
  return named.map((written) => {
    const path = resolve(cwd, written);
    const refuse = (why: string, remedy = 'Name a YAML file such as tag: 2025.11.3.') =>
      usage(`${option} ${written}: ${why}`, remedy);
    // A link may come from a pull request: messages quote lines of what it leads to.
    if (leavesWorkspace(folder, path)) throw refuse('is a link that leads out of the folder of the manifest');
    let bytes: Buffer;
    try {
      bytes = read(path);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') throw refuse('there is no such file');
      throw refuse(`cannot be read (${reasonOf(error)})`, remedyForDisk(error));
    }
    if (bytes.length > yamlLimit) throw refuse(`is larger than ${yamlLimit.toLocaleString('en')} bytes`);
    const ciphertext = ciphertextInBytes(bytes);
    if (ciphertext !== undefined) {
      const message = `${option} ${written}: line ${ciphertext.line} is ciphertext of ${ciphertext.of}, and no value`;
      const remedy = `${sourceOf(ciphertext.of, written)} Then write \${secret:NAME}.`;
      throw stop('usage', 'ciphertext', message, { remedy });
    }
    const decoded = decodeUtf8(bytes);
    if ('problem' in decoded) throw refuse(decoded.problem);
    return { written, file: relative(folder, path).split(sep).join('/'), text: withoutMark(decoded.text) };
  });
}
