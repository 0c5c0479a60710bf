import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NewFile } from '../project/write-files.ts';

/** The schema for editors, and the settings that find it; none where there are settings already. */
export function editorFiles(folder: string, file: string, schema: object): NewFile[] {
  const settings = '.vscode/settings.json';
  if (existsSync(join(folder, settings))) return [];
  const patterns = [file, 'organization.yaml', 'environments/*.yaml', 'unmanaged*.yaml'];
  const content = { 'yaml.schemas': { './.vscode/trueup.schema.json': patterns } };
  return [
    { path: '.vscode/trueup.schema.json', content: `${JSON.stringify(schema, null, 2)}\n` },
    { path: settings, content: `${JSON.stringify(content, null, 2)}\n` },
  ];
}
