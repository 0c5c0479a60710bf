import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { validate } from '../../src/workflow/validate.ts';
import { kinds } from '../../src/resources/index.ts';
import { bench } from './world.ts';

/** The files of a manifest; `§` in a text marks the place where a problem is expected. */
export type Files = string | Record<string, string | Buffer>;

/** What planning a manifest reports, and the place that was marked. Nothing may be asked of the platform. */
export async function problemsOf(
  files: Files,
  options: { prepare?: (folder: string) => void; env?: Record<string, string> } = {},
): Promise<{ problems: readonly Diagnostic[]; marked: string | undefined }> {
  const made = bench();
  Object.assign(made.env, options.env);
  const marked = place(made.folder, files);
  options.prepare?.(made.folder);
  try {
    await made.plan({});
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    expect(made.emulator.log).toEqual([]);
    return { problems: error.diagnostics, marked };
  }
  return { problems: [], marked };
}

/** The one error at the mark that a manifest is expected to have, as `told` gives it. */
export const oneError = (code: Diagnostic['code'], mentions: string | RegExp) => ({
  problems: [`${code} at the mark`],
  said: expect.stringMatching(mentions) as string,
  hasRemedy: true,
});

/** What planning a manifest reports, in words. Without a mark, the beginning of the manifest is meant. */
export async function told(files: Files, options: Parameters<typeof problemsOf>[1] = {}) {
  const { problems, marked = 'trueup.yaml:1:1' } = await problemsOf(files, options);
  return {
    problems: problems.map((item) => `${item.code} ${placeOf(item) === marked ? 'at the mark' : placeOf(item)}`),
    said: problems.map((item) => `${item.message} ${item.remedy ?? ''}`).join('\n'),
    hasRemedy: problems.every((item) => item.message !== '' && item.remedy !== undefined && item.remedy !== ''),
  };
}

/** What is said about a manifest that may be planned. */
export async function warningsOf(text: string): Promise<string[]> {
  const { warnings, marked } = await warningsAndMark(text);
  return warnings.map(
    (item) => `${item.severity} ${item.code} ${placeOf(item) === marked ? 'at the mark' : placeOf(item)}`,
  );
}

/** The same, as diagnostics, and the place that was marked. */
export async function warningsAndMark(text: string) {
  const made = bench();
  const marked = place(made.folder, text);
  const { warnings } = await validate({
    workspace: await openWorkspace(made.folder),
    file: 'trueup.yaml',
    kinds,
    env: () => undefined,
    secret: () => undefined,
    given: () => undefined,
    addSecret: () => undefined,
  });
  return { warnings, marked };
}

function placeOf({ position }: Diagnostic): string {
  return position === undefined ? 'nowhere' : `${position.file}:${position.line}:${position.column}`;
}

function place(folder: string, files: Files): string | undefined {
  let marked: string | undefined;
  for (const [name, content] of Object.entries(typeof files === 'string' ? { 'trueup.yaml': files } : files)) {
    const text = typeof content === 'string' ? content.replace('§', '') : content;
    if (typeof content === 'string' && content.includes('§')) {
      const before = content.slice(0, content.indexOf('§')).split('\n');
      marked = `${name}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
    }
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return marked;
}
