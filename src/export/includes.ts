import { isMap, isScalar, isSeq } from 'yaml';
import { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { type SecretFile, patternsFor } from './root-file.ts';
import { plainly } from '../edit/write-yaml.ts';
import { parseYaml } from '../formats/yaml.ts';
import { matchesGlob } from '../formats/glob.ts';
import { type Edit, editYaml } from '../edit/edit-yaml.ts';

/**
 * The text of a manifest that includes more files. Everything else stays byte for byte.
 *
 * @throws {Stop} `usage`, when the text is in a form that no line can be added to.
 */
export function withIncludes(text: string, files: readonly string[], secrets?: SecretFile): string {
  const { contents } = parseYaml(text, { logLevel: 'silent', prettyErrors: false, schema: 'core' });
  if (!isMap(contents)) throw cannotAdd(files);
  const list = contents.get('include', true);
  const items = isSeq(list) ? list.items : [];
  if (items.some((item) => !isScalar(item))) throw cannotAdd(files);
  const present = items.flatMap((item) => (isScalar(item) ? [String(item.value)] : []));
  const missing = files.filter((file) => !present.some((pattern) => isNamed(file, pattern)));
  const patterns = [...present, ...(isSeq(list) ? missing : patternsFor(missing))];
  const edits: Edit[] = [
    ...(missing.length === 0 ? [] : [{ path: ['include'], value: plainly(patterns) }]),
    ...(secrets === undefined || contents.has('secrets')
      ? []
      : [{ path: ['secrets'], value: plainly([{ [secrets.is]: secrets.path }]) }]),
  ];
  try {
    return editYaml('trueup.yaml', text, edits);
  } catch (error) {
    throw error instanceof Stop ? cannotAdd(files) : error;
  }
}

function isNamed(file: string, pattern: string): boolean {
  const at = pattern.lastIndexOf('/') + 1;
  const [folder, last] = [pattern.slice(0, at).replace(/^\.\//, ''), pattern.slice(at)];
  const own = file.lastIndexOf('/') + 1;
  return file.slice(0, own) === folder && matchesGlob(last, file.slice(own));
}

function cannotAdd(files: readonly string[]) {
  return usage(
    'include: of the manifest is in a form that no line can be added to',
    `Write include: as a list, one entry a line, with ${files.join(', ')}.`,
  );
}
