import { linesFor, requireContainer } from './container-log.ts';
import type { Handler } from './context.ts';
import type { DatabaseTable } from './database-tables.ts';
import { notFound } from './error-answers.ts';
import { pullProblem } from './images.ts';
import { textOf, type Row } from './json-rows.ts';

/** The log of the container of a database: what its server writes, or why its last deployment failed. */
export function readLogs(table: DatabaseTable, title: string, lines: readonly string[]): Handler {
  return ({ store }, input) => {
    const row = store.find(table, input[`${table}Id`]);
    if (row === undefined) throw notFound(title);
    const failure = failureLog(row);
    if (failure === undefined) requireContainer(store, textOf(row, 'appName'));
    return linesFor(input, failure ?? lines);
  };
}

/** What docker tells of a deployment that failed; undefined for a database whose deployment did not. */
function failureLog(row: Row): string[] | undefined {
  const image = textOf(row, 'dockerImage');
  const problem = row['applicationStatus'] === 'error' ? pullProblem(image) : undefined;
  if (problem === undefined) return undefined;
  return [`Pulling ${image}`, `Error: ${problem} ${image}`, 'The container was not started'];
}
