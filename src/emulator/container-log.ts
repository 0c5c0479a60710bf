import { failed } from './error-answers.ts';
import type { Row } from './json-rows.ts';
import type { ServiceOrder } from './service-orders.ts';
import type { Store } from './table-store.ts';

/** The container of a service. @throws {ApiError} when it has none that runs. */
export function requireContainer(store: Store, appName: string): Row {
  const container = store.find('container', appName);
  if (container?.['running'] === true) return container;
  throw failed(`No container or service found for: ${appName}`);
}

/** What the containers of applications and compose stacks write: their images are never run. */
export function linesOf(order: ServiceOrder | undefined): readonly string[] {
  return order?.behaviour.says ?? ['Starting', 'Listening on port 80'];
}

/** The end of a log, as a request asks for it: `tail` lines, those with the text `search`. */
export function linesFor({ search, tail }: Row, lines: readonly string[]): string {
  return lines
    .filter((line) => typeof search !== 'string' || line.includes(search))
    .slice(-Number(tail))
    .join('\n');
}
