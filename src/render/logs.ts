import type { LogsDocument } from './documents.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** Renders a log: on a terminal without control characters, in a pipe unchanged. */
export function renderLog(log: string, { width }: Style): string {
  const lines = linesOf(log);
  return lines.map((line) => `${width === undefined ? line : printable(line)}\n`).join('');
}

/** A log as a document. */
export function logsJson(address: string, log: string): LogsDocument {
  return { format: 'trueup/logs', version: 1, address, lines: linesOf(log) };
}

function linesOf(log: string): string[] {
  return log === '' ? [] : log.replace(/\r?\n$/, '').split(/\r?\n/);
}
