import { defined } from '../formats/json.ts';
import type { Settings } from '../manifest/settings.ts';
import { type Entry, plainly, renderEntries } from '../edit/write-yaml.ts';

/** The settings of a new manifest, as text. */
export function rootText(about: {
  readonly platform: Settings['platform'];
  readonly project: string;
  readonly include?: readonly string[];
  readonly secrets?: SecretFile | undefined;
}): string {
  const { platform, project, include = [], secrets } = about;
  const entries: Entry[] = [
    { key: 'trueup', value: plainly(1) },
    { key: 'platform', value: plainly(writtenPlatform(platform)) },
    { key: 'project', value: plainly(project) },
  ];
  if (include.length > 0) entries.push({ key: 'include', value: plainly(include) });
  if (secrets !== undefined) entries.push({ key: 'secrets', value: plainly([{ [secrets.is]: secrets.path }]) });
  return renderEntries(entries);
}

function writtenPlatform(platform: Settings['platform']) {
  return platform.emulator && platform.profile === undefined ? 'emulator' : defined(platform);
}

/** A file of secrets that a manifest names. */
export interface SecretFile {
  readonly is: 'file' | 'age' | 'sealed';
  readonly path: string;
}

/** Patterns for files: those of one folder become one pattern. */
export function patternsFor(files: readonly string[]): string[] {
  const patterns = files.map((file) => (file.includes('/') ? `${file.slice(0, file.lastIndexOf('/'))}/*.yaml` : file));
  return [...new Set(patterns)].toSorted();
}
