import type { LogsDocument } from './document-schemas.ts';

/** Renders a log; `keepsColours`: as the service wrote it. */
export function renderLog(log: string, { keepsColours }: { readonly keepsColours: boolean }): string {
  const lines = linesOf(log).map((line) => `${line}\n`);
  return keepsColours ? lines.join('') : lines.join('').replaceAll(colours, '');
}

// eslint-disable-next-line no-control-regex -- programs write them into their logs
const colours = /\u001b\[[0-9;]*m/g;

/** A log as a document. */
export function logsJson(address: string, log: string): LogsDocument {
  return { format: 'trueup/logs', version: 1, address, lines: linesOf(log) };
}

function linesOf(log: string): string[] {
  return log === '' ? [] : log.replace(/\r?\n$/, '').split(/\r?\n/);
}
