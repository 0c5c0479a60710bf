import type { ServiceState } from '../operate/services.ts';
import { fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

const tones: Readonly<Record<string, Tone>> = { done: 'good', running: 'change', error: 'bad', missing: 'bad' };

/** Renders services as a table, with the error of a failed deployment below its service. */
export function renderServices(services: readonly ServiceState[], style: Style): string {
  const rows = services.map((service) => ({ ...cellsOf(service), error: service.deployment?.errorMessage }));
  const widths = {
    address: Math.max(heads.address.length, ...rows.map(({ address }) => address.length)),
    status: Math.max(heads.status.length, ...rows.map(({ status }) => status.length)),
  };
  const head = `${heads.address.padEnd(widths.address)}  ${heads.status.padEnd(widths.status)}  ${heads.deployment}`;
  const lines = rows.flatMap(({ address, status, deployment, error }) => [
    `${address.padEnd(widths.address)}  ${painted(status, style)}${' '.repeat(widths.status - status.length)}  ${deployment}`,
    ...(error === undefined ? [] : indented(fold(printable(error), 4, style), 4)),
  ]);
  return [style.paint('faint', head), ...lines].map((text) => `${text.trimEnd()}\n`).join('');
}

/** Renders one service as one line. */
export function renderService(service: ServiceState, style: Style): string {
  const { address, status, deployment } = cellsOf(service);
  const error = service.deployment?.errorMessage;
  const why = error === undefined ? '' : `: ${printable(error)}`;
  return `${address}: ${painted(status, style)}; last deployment ${deployment}${why}\n`;
}

const heads = { address: 'ADDRESS', status: 'STATUS', deployment: 'LAST DEPLOYMENT' };

function cellsOf({ address, id, found, status, deployment }: ServiceState) {
  const last =
    deployment === undefined
      ? '-'
      : [deployment.status, (deployment.finishedAt ?? deployment.createdAt)?.replace(/\.\d+Z$/, 'Z'), deployment.title]
          .filter((part) => part !== undefined)
          .map(printable)
          .join(' ');
  return {
    address: printable(address),
    status: id === null ? 'not created yet' : found ? printable(status ?? 'unknown') : 'missing',
    deployment: last,
  };
}

function painted(status: string, style: Style): string {
  return style.paint(tones[status] ?? 'faint', status);
}
