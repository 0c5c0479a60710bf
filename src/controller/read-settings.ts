import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { toJson } from '../formats/yaml-node.ts';
import { withoutMark } from '../formats/utf8.ts';
import { adviceFor, byPlace, missingBlank, problemOf } from '../manifest/problem.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Node, position } from '../manifest/tree.ts';
import { fileNamed } from './secret-file.ts';
import type { Environment } from '../project/folder.ts';
import { type Settings, settingsShape } from './settings.ts';

/**
 * Reads the file of the settings; `path` is absolute. The files of secrets that it names begin in its folder.
 *
 * @throws {Stop} `usage`, with the places of all that is wrong
 */
export async function readSettings(path: string, env: Environment): Promise<Settings> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw stop('usage', 'file-unreadable', `cannot read ${path}: ${reasonOf(error)}`, {
      remedy: remedyForDisk(error) ?? seeDocs,
      cause: error,
    });
  });
  return settingsIn(path, text, env);
}

/** The settings of a text. @throws {Stop} `usage` */
export function settingsIn(path: string, text: string, env: Environment): Settings {
  const found: Diagnostic[] = [];
  const tree = readTree(path, withoutMark(text), found);
  if (tree === undefined && found.length === 0) {
    const start = { file: path, line: 1, column: 1 };
    found.push(diagnostic('wrong-type', `${path} is empty`, { remedy: seeDocs, position: start }));
  }
  if (tree === undefined || found.length > 0) throw new Stop('usage', found);
  const value = toJson(tree);
  const file = () =>
    z
      .string()
      .min(1)
      .transform((name, context) => {
        const named = fileNamed(name, env, dirname(path));
        if ('path' in named) return named.path;
        context.addIssue({ code: 'custom', message: named.problem });
        return z.NEVER;
      });
  const parsed = settingsShape(file).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Stop(
    'usage',
    byPlace(parsed.error).map((error) => describe(error, tree)),
  );
}

const seeDocs = 'docs/controller.md shows the settings.';

/** Problems of one place, and what to write instead. */
function describe(error: z.ZodError, tree: Node): Diagnostic {
  const path = error.issues[0]?.path ?? [];
  const refused = { name: path.length === 0 ? 'the file' : '', value: toJson(tree), isSecret: false };
  const { message, place, unknownKey } = problemOf(error, tree, refused);
  const at = position(place);
  if (unknownKey === undefined)
    return diagnostic('wrong-type', message, { remedy: adviceFor(error, refused) ?? seeDocs, position: at });
  const known = keysAt(z.toJSONSchema(settingsShape(), { io: 'input' }), path);
  const remedy = missingBlank(unknownKey) ?? didYouMean(unknownKey, known, `It takes ${known.join(', ')}.`);
  return diagnostic('unknown-key', message, { remedy, position: at });
}

/** The keys of the map at a path, by a JSON Schema. */
function keysAt(schema: z.core.JSONSchema._JSONSchema | undefined, path: readonly PropertyKey[]): readonly string[] {
  if (typeof schema !== 'object') return [];
  const [step, ...rest] = path;
  const { anyOf = [], properties = {}, items } = schema;
  const inner = typeof step === 'number' ? (Array.isArray(items) ? undefined : items) : properties[String(step)];
  const own = step === undefined ? Object.keys(properties) : keysAt(inner, rest);
  return [...own, ...anyOf.flatMap((one) => keysAt(one, path))];
}
