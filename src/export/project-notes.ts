import { lacksRight } from '../api/platform-error.ts';
import type { Client } from '../api/client.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Row, isRow } from '../formats/json.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue, valueAt } from '../kind/row-values.ts';
import type { Reader } from '../observe/reader.ts';
import type { Survey } from './survey.ts';

/** The note on the values that only a block of the project can declare: an export names the project, and no more. */
export async function notesOnProject(
  { tops }: Survey,
  { reader, client }: { readonly reader: Reader; readonly client: Client },
): Promise<Diagnostic[]> {
  const environment = tops.find(({ kind }) => kind.top !== undefined);
  const top = environment?.kind.top;
  if (environment === undefined || top === undefined) return [];
  const isServed = kindsThere([top], client.contract).length > 0;
  const id = valueAt(environment.row, environment.link.idAt);
  const nested = environment.row[top.kind];
  const row: Row = { ...(isRow(nested) ? nested : {}), ...(isServed ? await rowOf(reader, top, String(id)) : {}) };
  const leftOut = Object.keys(top.fields).filter((name) => {
    const value = observedValue(top, name, row) ?? '';
    return name !== top.identity.keyField && value !== '' && !(Array.isArray(value) && value.length === 0);
  });
  if (leftOut.length === 0) return [];
  const message = `the export names the project and leaves out its ${leftOut.map((name) => fieldPath(top, name)).join(', ')}`;
  const name = JSON.stringify(observedValue(top, top.identity.keyField ?? '', row) ?? null);
  const remedy = `Declare them in a block of the project with name: ${name}, and apply with --adopt.`;
  return [diagnostic('not-exported', message, isServed ? { remedy } : {})];
}

/** The row of the project; undefined, where the API key may not read it. */
async function rowOf(reader: Reader, top: Kind, id: string): Promise<Row | undefined> {
  try {
    return await reader.row(top, id);
  } catch (error) {
    if (lacksRight(error)) return undefined;
    throw error;
  }
}
