import { crc32 } from 'node:zlib';
import type { Format } from './formats.ts';
import { readRecord } from './formats.ts';
import type { StateRecord } from './record.ts';
import type { State } from './state.ts';

/** Records that become durable together, in order; null removes one. */
export type Wave = readonly (readonly [address: string, record: StateRecord | null])[];

/** Writes a line of a journal: a checksum, then JSON without a line feed. */
export function writeLine(content: unknown): string {
  const json = JSON.stringify(content);
  return `${checksum(json)} ${json}\n`;
}

/** Reads a line of a journal; undefined when its checksum does not match. */
export function readLine(line: string): unknown {
  const [sum, json] = [line.slice(0, 8), line.slice(9)];
  if (line[8] !== ' ' || sum !== checksum(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Reads a wave of a journal of a format; undefined when it is none. */
export function parseWave(content: unknown, format: Format): Wave | undefined {
  if (!Array.isArray(content)) return undefined;
  const wave: [string, StateRecord | null][] = [];
  for (const item of content as readonly unknown[]) {
    const [address, record] = Array.isArray(item) && item.length === 2 ? (item as unknown[]) : [];
    const parsed = record === null ? null : readRecord(format, record);
    if (typeof address !== 'string' || parsed === undefined) return undefined;
    wave.push([address, parsed]);
  }
  return wave;
}

/** A state with the records of its journal. */
export function withWaves(base: State, waves: readonly Wave[]): State {
  if (waves.length === 0) return base;
  const resources = new Map(Object.entries(base.resources));
  for (const [address, record] of waves.flat()) {
    if (record === null) resources.delete(address);
    else resources.set(address, record);
  }
  return { ...base, resources: Object.fromEntries(resources) };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
