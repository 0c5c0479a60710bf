import { mkdirSync, writeFileSync } from 'node:fs';
import { parseStateKey } from '../../src/secrets/state-key.ts';
import { authenticityOf } from '../../src/state/authenticity.ts';
import { givenKey } from '../../src/state/key-sources.ts';

/** The key of the states of tests that have no key file. */

export const keyText = 'trueup-key-1-YSBrZXkgdGhhdCBvbmx5IHRlc3RzIG1heSBrbm93ISEPO3s7';

export const testKey = parseStateKey(keyText)!;

export const testKeys = givenKey(keyText, 'the key of the tests');

/** The same, for a state that is migrated. */
export const migratingKeys = givenKey(keyText, 'the key of the tests', { unsealed: 'always' });

/** Puts that key beside a state in a folder. */
export function keepTestKey(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${folder}/key`, `${keyText}\n`, { mode: 0o600 });
}

/** The text of a state that somebody changed, with a new MAC: the key was stolen. */
export function sealAgain(text: string): string {
  const { mac: _, ...content } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const about = { keyName: 'the key of the tests', acceptUnsealed: () => undefined };
  return authenticityOf(testKey, about).seal(content, 'lines').parts.join('');
}
