import type { ServiceState } from '../operate/service-states.ts';
import { columnsOf, cut, padded, shortened } from './columns.ts';
import { fold, indented } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';
import type { StatusDocument } from './document-schemas.ts';

/** The platform's status in words of today: its `done` means deployed and started, and its `running` a deployment. */
const words = new Map([
  ['done', 'running'],
  ['running', 'deploying'],
]);

const tones: Readonly<Record<string, Tone>> = { running: 'good', deploying: 'change', error: 'bad', missing: 'bad' };

/**
 * Renders services as a table, with the error of a failed deployment below its service. On a screen the head stays in
 * sight: where not everything fits, services that are not done come first, and the others are counted.
 */
export function renderServices(
  services: readonly ServiceState[],
  style: Style,
  screen?: { readonly columns: number; readonly rows: number },
): string {
  const rows = services.map((service) => ({ ...cellsOf(service), error: service.deployment?.errorMessage }));
  const columns = screen?.columns ?? Number.POSITIVE_INFINITY;
  const status = Math.max(heads.status.length, ...rows.map((row) => columnsOf(row.status)));
  const longest = Math.max(heads.address.length, ...rows.map((row) => columnsOf(row.address)));
  const address = Math.min(longest, Math.max(heads.address.length, columns - status - minDeployment));
  const line = (row: Cells, paint: (text: string) => string): string => {
    const deployment = cut(row.deployment, columns - address - status - 4);
    const gap = ' '.repeat(status - columnsOf(row.status));
    return `${padded(shortened(row.address, address), address)}  ${paint(row.status)}${gap}  ${deployment}`.trimEnd();
  };
  const blocks = rows.map(({ error, ...row }) => ({
    isDone: row.status === words.get('done'),
    lines: [
      line(row, (text) => painted(text, style)),
      ...(error === undefined
        ? []
        : indented(fold(printable(error), 4, { ...style, width: screen?.columns ?? style.width }), 4)),
    ],
  }));
  // The cursor stands below the table.
  const shown = screen === undefined ? blocks : withinRows(blocks, screen.rows - 2);
  const rest = blocks.length - shown.length;
  return [
    style.paint(
      'faint',
      line(heads, (text) => text),
    ),
    ...shown.flatMap(({ lines }) => lines),
    ...(rest === 0 ? [] : [style.paint('faint', `… ${rest} more`)]),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

/** Renders the version of the platform that the state remembers. */
export function renderVersion(version: string, style: Style): string {
  return `${style.paint('faint', `platform ${printable(version)} (by the state)`)}\n`;
}

/** The columns that are left for the last deployment before addresses are shortened, with the gaps between the columns. */
const minDeployment = 14;

/** The blocks that fit into some rows, in their order: all, or those that are not done first, with a row left for the rest. */
function withinRows<T extends { readonly isDone: boolean; readonly lines: readonly string[] }>(
  blocks: readonly T[],
  rows: number,
): readonly T[] {
  const heightOf = (some: readonly T[]): number => some.reduce((sum, { lines }) => sum + lines.length, 0);
  if (heightOf(blocks) <= rows) return blocks;
  let left = rows - 1;
  const chosen = new Set<T>();
  for (const block of [...blocks.filter(({ isDone }) => !isDone), ...blocks.filter(({ isDone }) => isDone)]) {
    if (block.lines.length > left) continue;
    chosen.add(block);
    left -= block.lines.length;
  }
  return blocks.filter((block) => chosen.has(block));
}

/** Renders one service as one line. */
export function renderService(service: ServiceState, style: Style): string {
  const { address, status, deployment } = cellsOf(service);
  const error = service.deployment?.errorMessage;
  const why = error === undefined ? '' : `: ${printable(error)}`;
  return `${address}: ${painted(status, style)}; last deployment ${deployment}${why}\n`;
}

const heads = { address: 'ADDRESS', status: 'STATUS', deployment: 'LAST DEPLOYMENT' };

type Cells = Readonly<Record<keyof typeof heads, string>>;

function cellsOf({ address, id, found, isServed, status, deployment }: ServiceState): Cells {
  const last =
    deployment === undefined
      ? '-'
      : [deployment.status, (deployment.finishedAt ?? deployment.createdAt)?.replace(/\.\d+Z$/, 'Z'), deployment.title]
          .filter((part) => part !== undefined)
          .map(printable)
          .join(' ');
  const absent = id === null ? 'not created yet' : isServed ? 'missing' : 'not served';
  return {
    address: printable(address),
    status: found ? printable(words.get(status ?? '') ?? status ?? 'unknown') : absent,
    deployment: last,
  };
}

function painted(status: string, style: Style): string {
  return style.paint((Object.hasOwn(tones, status) ? tones[status] : undefined) ?? 'faint', status);
}

/** The status of services as a document. */
export function statusJson(
  services: readonly ServiceState[],
  { reads, writes }: { readonly reads: number; readonly writes: number },
  platformVersion?: string,
): StatusDocument {
  return {
    format: 'trueup/status',
    version: 1,
    requests: { reads, writes },
    platformVersion,
    services: services.map(({ address, kind, id, found, isServed, status, deployment }) => ({
      address,
      kind: kind.kind,
      id,
      status: status ?? null,
      found,
      served: isServed ? undefined : false,
      deployment,
    })),
  };
}
