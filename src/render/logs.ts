import type { LogsDocument } from './documents.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** A log for people: on a terminal no character that it obeys, in a pipe as it came. */
export function renderLog(log: string, { width }: Style): string {
  const lines = linesOf(log);
  return lines.map((line) => `${width === undefined ? line : printable(line)}\n`).join('');
}

/** A log for programs. */
export function logsJson(address: string, log: string): LogsDocument {
  return { format: 'trueup/logs', version: 1, address, lines: linesOf(log) };
}

function linesOf(log: string): string[] {
  return log === '' ? [] : log.replace(/\r?\n$/, '').split(/\r?\n/);
}
