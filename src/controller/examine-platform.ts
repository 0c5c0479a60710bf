import { examinePlatform } from '../operate/examine.ts';
import { openPlatform } from '../project/open-connection.ts';
import { kinds } from '../exports/kinds.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { systemClock } from '../state/clock.ts';
import { examineFile } from './examine-files.ts';
import { type Finding, asFinding, finding } from './finding.ts';
import type { PlatformRecord } from './records/all.ts';
import { readNamedSecret } from './secret-file.ts';

/** Examines a platform: its files, whether it answers, and whether it accepts the key. Sends at most 10 GETs. */
export async function examinePlatformRecord(record: PlatformRecord): Promise<readonly Finding[]> {
  const { id, keyFile, envFile } = record;
  const files = await examineFile(`the key of ${id}`, keyFile);
  const secrets = envFile === null ? [] : await examineFile(`the secrets of ${id}`, envFile);
  const isUnread = files.some(({ is }) => is === 'bad');
  const why = finding('platform', 'unknown', `${id}: not known, because its key comes first`);
  return [...files, ...secrets, ...(isUnread ? [why] : await examineServer(record))];
}

/** What a platform can lack without harm is a matter of its manifests. */
const needed: ReadonlySet<string> = new Set(['address', 'key', 'rights', 'profile', 'clock']);

/** What is wrong with a server; where nothing is, that it answers. */
async function examineServer({ id, url, profile, keyFile }: PlatformRecord): Promise<readonly Finding[]> {
  const redactor = createRedactor();
  const env = { TRUEUP_API_KEY: await readNamedSecret(keyFile) };
  // Who enrols a platform chooses its address: plain http is a warning.
  const choices = { env, isPinned: false, allowsHttp: true };
  const options = { folder: '/', file: 'trueup.yaml', variables: new Map(), ...choices, redactor, kinds };
  const named = { url, ...(profile === null ? {} : { profile }) };
  try {
    const platform = await openPlatform(named, { options, purpose: 'doctor', isImpatient: true });
    try {
      const { client } = platform;
      const about = { client, url, kinds, clock: systemClock, discovers: true, remembered: undefined };
      const checks = await examinePlatform(about);
      const wrong = checks.filter(({ name, is }) => needed.has(name) && (is === 'bad' || is === 'warning'));
      if (wrong.length === 0) return [finding('platform', 'good', `${id}: ${url} answers, and accepts the key`)];
      return wrong.map(({ name, is, message, remedy }) =>
        finding('platform', is, `${id}, ${name}: ${message}`, remedy),
      );
    } finally {
      await platform.close();
    }
  } catch (error) {
    return asFinding('platform', error, (message) => `${id}: ${message}`);
  }
}
