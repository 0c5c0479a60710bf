import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { manifestSchema } from '../manifest/json-schema.ts';
import type { Settings } from '../manifest/settings.ts';
import type { ProjectFolder } from '../project/folder.ts';
import { type NewFile, ignoring, writeFiles } from '../project/write-files.ts';
import { rootText } from './root-file.ts';

type Folder = Pick<ProjectFolder, 'folder' | 'file' | 'kinds'>;

/** Writes a manifest without resources, with what git ignores and what editors read. Gives the paths of the files. */
export async function writeEmptyManifest(
  { folder, file, kinds }: Folder,
  settings: Pick<Settings, 'platform' | 'project'>,
): Promise<readonly string[]> {
  const ignore = await ignoring(folder);
  const written = [
    ...(ignore === undefined ? [] : [ignore]),
    ...editorFiles({ folder, file, kinds }),
    { path: file, content: rootText(settings) },
  ];
  await writeFiles(folder, written);
  return written.map(({ path }) => path).toSorted();
}

/** Writes the schema for editors, and the settings that find it; nothing where there are settings already. */
export async function writeEditorFiles(folder: Folder): Promise<void> {
  await writeFiles(folder.folder, editorFiles(folder));
}

function editorFiles({ folder, file, kinds }: Folder): NewFile[] {
  const settings = '.vscode/settings.json';
  if (existsSync(join(folder, settings))) return [];
  const patterns = [file, 'organization.yaml', 'environments/*.yaml', 'unmanaged*.yaml'];
  const customTags = ['scalar', 'mapping', 'sequence'].map((form) => `!reset ${form}`);
  const content = { 'yaml.schemas': { './.vscode/trueup.schema.json': patterns }, 'yaml.customTags': customTags };
  const schema = manifestSchema(kinds, { hasAliases: false });
  return [
    { path: '.vscode/trueup.schema.json', content: `${JSON.stringify(schema, null, 2)}\n` },
    { path: settings, content: `${JSON.stringify(content, null, 2)}\n` },
  ];
}
