import { Stop } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import type { Examined } from '../operate/examine.ts';

/** One thing that a controller needs, and how it is. */
export type Finding = Examined<
  | 'database'
  | 'version'
  | 'rights'
  | 'tables'
  | 'connections'
  | 'clock'
  | 'state key'
  | 'queue'
  | 'dead jobs'
  | 'poll'
  | 'worker'
  | 'messages'
  | 'file'
  | 'platform'
  | 'source'
>;

/** Makes a finding. */
export function finding(name: Finding['name'], is: Finding['is'], message: string, remedy?: string): Finding {
  return { name, is, message, ...defined({ remedy }) };
}

/** What stopped an examination, as findings. @throws what is no `Stop` */
export function asFinding(
  name: Finding['name'],
  error: unknown,
  worded: (message: string) => string = (message) => message,
): readonly Finding[] {
  if (!(error instanceof Stop)) throw error;
  return error.diagnostics.map(({ message, remedy }) => finding(name, 'bad', worded(message), remedy));
}
