import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Stop } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
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
    ...(await editorFiles({ folder, file, kinds })),
    { path: file, content: rootText(settings) },
  ];
  await writeFiles(folder, written, { remedy: 'Move it away, and run trueup init again.' });
  return written.map(({ path }) => path).toSorted();
}

/** Writes the schema for editors, and the settings that find it; nothing where there are settings already, or it cannot. */
export async function writeEditorFiles(folder: Folder): Promise<void> {
  // The manifest is complete without them.
  await writeFiles(folder.folder, await editorFiles(folder)).catch((error: unknown) => {
    if (!(error instanceof Stop)) throw error;
  });
}

async function editorFiles({ folder, file, kinds }: Folder): Promise<NewFile[]> {
  const [settings, schemaPath] = ['.vscode/settings.json', '.vscode/trueup.schema.json'];
  const at = await stat(join(folder, '.vscode')).catch(() => undefined);
  if (existsSync(join(folder, settings)) || at?.isDirectory() === false) return [];
  // Another version may have written one.
  const former = await readFile(join(folder, schemaPath)).catch(() => undefined);
  const patterns = [file, 'organization.yaml', 'environments/*.yaml', 'unmanaged*.yaml'];
  const customTags = ['scalar', 'mapping', 'sequence'].map((form) => `!reset ${form}`);
  const content = { 'yaml.schemas': { './.vscode/trueup.schema.json': patterns }, 'yaml.customTags': customTags };
  const schema = manifestSchema(kinds, { hasAliases: false });
  return [
    { path: schemaPath, content: `${JSON.stringify(schema, null, 2)}\n`, ...defined({ replaces: former }) },
    { path: settings, content: `${JSON.stringify(content, null, 2)}\n` },
  ];
}
