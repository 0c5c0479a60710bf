import type { Row } from '../../formats/json.ts';
import { type Risk, keepersOf, volumesOf } from './compose-data.ts';

/** The volumes that the `command:` of a compose removes before each of its deployments; undefined: none. */
export function removedByCommand(row: Row, environment?: Row): Risk | undefined {
  const parts = (typeof row.command === 'string' ? row.command : '').split('&&').map(wordsOf);
  const rest = 'which `command:` removes at each deployment';
  if (parts.some(removesOthers)) return { what: `volumes of the server, ${rest}` };
  if (!parts.some(removesOwn)) return undefined;
  const names = volumesOf(keepersOf(row, environment)).map(({ text }) => text);
  const unnamed = `the volumes of this compose, ${rest}`;
  if (row.sourceType !== 'raw') return { what: unnamed };
  if (names.length === 0) return undefined;
  const words = names.length === 1 ? 'the volume' : 'the volumes';
  return { what: `${words} ${names.join(', ')}, ${rest}`, unnamed };
}

/** The words of a command behind `docker`, which the platform writes before the first one. */
function wordsOf(part: string): readonly string[] {
  return part
    .trim()
    .replace(/^docker-compose\s/, 'compose ')
    .replace(/^docker\s+/, '')
    .split(/\s+/);
}

function removesOwn([program, ...words]: readonly string[]): boolean {
  const options = program === 'compose' && words.includes('down') ? words.slice(words.indexOf('down')) : [];
  return options.some((word) => /^(?:--volumes(?:=true)?|-[a-z]*v[a-z]*)$/.test(word));
}

function removesOthers([program = '', verb = '', ...options]: readonly string[]): boolean {
  const isOfVolumes = program === 'volume' && /^(?:rm|remove|prune)$/.test(verb);
  return (
    isOfVolumes || (program === 'system' && verb === 'prune' && options.some((word) => word.startsWith('--volumes')))
  );
}
