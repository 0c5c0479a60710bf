import { stat } from 'node:fs/promises';
import { type Finding, asFinding, finding } from './finding.ts';
import { readNamedSecret, secretPath } from './secret-file.ts';

/** Examines a file with a secret: whether this process can read it, and others of this machine cannot. `what`: the key of paris. */
export async function examineFile(what: string, named: string): Promise<readonly Finding[]> {
  try {
    await readNamedSecret(named);
    const path = secretPath(named);
    const { mode } = await stat(path);
    // Docker keeps its secrets there, for the programs of one container.
    if ((mode & 0o004) === 0 || path.startsWith('/run/secrets/')) return [finding('file', 'good', `${what}: ${path}`)];
    const message = `${what}: every user of this machine can read ${path}`;
    return [finding('file', 'warning', message, `Run chmod 600 ${path}.`)];
  } catch (error) {
    return asFinding('file', error, (message) => `${what}: ${message}`);
  }
}
