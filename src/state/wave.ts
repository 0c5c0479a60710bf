import { crc32 } from 'node:zlib';
import { isSameMac } from '../secrets/state-key.ts';
import type { Authenticity } from './authenticity.ts';
import type { Entry, StateRecord } from './record.ts';
import { type Format, isSealed, readEntries, writeEntry } from './formats.ts';
import type { State } from './state.ts';

/** What becomes durable together, in order. */
export type Wave = readonly Entry[];

/** Writes a line of a journal: a checksum, which a torn line does not match, then a text without a line feed. */
export function writeLine(text: string): string {
  return linePartsOf([text]).join('');
}

/** The same for a text in parts. */
export function linePartsOf(parts: readonly string[]): string[] {
  const [first = '', ...rest] = parts;
  return withEnd([`${checksum(...parts)} ${first}`, ...rest]);
}

/** The parts of a text, with a line feed at its end. */
export function withEnd(parts: readonly string[]): string[] {
  return [...parts.slice(0, -1), `${parts.at(-1) ?? ''}\n`];
}

/** Reads the text of a line of a journal; undefined when its checksum does not match. */
export function readLine(line: string): string | undefined {
  const [sum, text] = [line.slice(0, 8), line.slice(9)];
  return line[8] === ' ' && sum === checksum(text) ? text : undefined;
}

/** A place in a chain of records: the MAC of the last one. */
interface Chain {
  readonly previous: string;
  readonly authenticity: Authenticity;
}

/** Writes a text of the journal after its MAC, which depends on all before it. `about` is authenticated and not written. */
export function chained(text: string, { previous, authenticity }: Chain, about = ''): { text: string; mac: string } {
  const mac = authenticity.next(previous, about + text);
  return { text: `${mac} ${text}`, mac };
}

/**
 * Reads the texts of a journal in turn. Of a format without MACs they are as they are; of the others, undefined for one that
 * does not follow the one before it.
 */
export function chainReader(
  format: Format,
  { previous, authenticity }: Chain,
): (written: string, about?: string) => string | undefined {
  let last = previous;
  return (written, about = '') => {
    if (!isSealed(format)) return written;
    const at = written.indexOf(' ');
    const [mac, text] = [written.slice(0, at), written.slice(at + 1)];
    if (!isSameMac(mac, authenticity.next(last, about + text))) return undefined;
    last = mac;
    return text;
  };
}

/** Reads JSON; undefined when a text is none. */
export function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a wave in a journal. */
export function writeWave(wave: Wave): string {
  return JSON.stringify(wave.map(writeEntry));
}

/** Reads a wave of a journal of a format; undefined when it is none. */
export function parseWave(content: unknown, format: Format): Wave | undefined {
  if (!Array.isArray(content)) return undefined;
  const wave: Entry[] = [];
  for (const item of content as readonly unknown[]) {
    const [address, written] = Array.isArray(item) && item.length === 2 ? (item as unknown[]) : [];
    const parsed = typeof address === 'string' ? readEntries(format, address, written) : undefined;
    if (parsed === undefined) return undefined;
    wave.push(...parsed);
  }
  return wave;
}

/** The states that hold records of a journal. */
const withJournal = new WeakSet<State>();

/** Whether a state that was read has records which only its journal holds. */
export function isInJournal(state: State): boolean {
  return withJournal.has(state);
}

/** A state with the records of its journal. Never throws. */
export function withWaves(base: State, waves: readonly Wave[]): State {
  if (waves.length === 0) return base;
  const resources = new Map(Object.entries(base.resources));
  const deployments = new Map(Object.entries(base.deployments));
  for (const [address, content, part] of waves.flat()) {
    if (content === null) {
      deployments.delete(address);
      if (part !== 'deployments') resources.delete(address);
    } else if (part === 'deployments') deployments.set(address, content);
    else resources.set(address, content);
  }
  const isProject = ({ id }: StateRecord) => id === base.projectId;
  // The run that deletes the project unbinds the state at its end, and can be killed before.
  const isGone = Object.values(base.resources).some(isProject) && ![...resources.values()].some(isProject);
  const state = {
    ...base,
    ...(isGone ? { projectId: '' } : {}),
    resources: Object.fromEntries(resources),
    deployments: Object.fromEntries(deployments),
  };
  if (waves.some((wave) => wave.length > 0)) withJournal.add(state);
  return state;
}

function checksum(...parts: readonly string[]): string {
  const sum = parts.reduce((before, part) => crc32(part, before), 0);
  return sum.toString(16).padStart(8, '0');
}
