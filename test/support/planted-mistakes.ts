import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The repository of the example with stages, and mistakes to plant in it. */

const folder = resolve(import.meta.dirname, '../../examples/stages');

export const repository: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);

export const stages = ['production.yaml', 'staging.yaml', 'test.yaml'];

export interface Planted {
  readonly title: string;
  readonly edits: readonly (readonly [file: string, from: string, to: string])[];
  readonly code: string;
  readonly says: string;
  /** The stages that have the mistake. */
  readonly within: readonly string[];
}

export const planted = readFileSync(resolve(import.meta.dirname, '../fixtures/planted-mistakes.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line): Planted => {
    const [title = '', edits = '', code = '', says = '', within] = line.split(' | ');
    return {
      title,
      code,
      says,
      within: within?.split(' ').map((name) => `${name}.yaml`) ?? stages,
      edits: edits.split(' ; ').map((edit) => {
        const [file = '', ...change] = edit.split(': ');
        const [from = '', to = ''] = change.join(': ').replaceAll('\\n', '\n').split(' => ');
        return [`${file}.yaml`, from, to];
      }),
    };
  });

/** The repository with a mistake, in which § stands before its value and ¤ before each use. */
export function withMistake({ edits }: Planted): Record<string, string> {
  const files = { ...repository };
  for (const [file, from, to] of edits) {
    const before = files[file] ?? '';
    if (!before.includes(from)) throw new Error(`${file} has no ${from}`);
    files[file] = before.replace(from, () => to);
  }
  return files;
}
