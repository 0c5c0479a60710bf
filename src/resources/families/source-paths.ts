import type { CheckedResource } from '../../kind/checks.ts';
import { resolvedPath } from './own-folder.ts';

/**
 * Values of a preview that the platform joins to the folder of the code, or writes into a command of a shell without quotes.
 * Source: utils/filesystem/directory.ts, utils/builders, and services/patch.ts of v0.30.2.
 */

/** A field, with what people write for it and the text that the platform makes of it. */
interface Place {
  readonly field: string;
  readonly name: string;
  readonly text: string;
}

/** The findings for fields of a build: those that lead out of the code, and those that a shell would read. */
export function buildLeaves({ values }: CheckedResource) {
  const textOf = (field: string) => String(values[field] ?? '');
  const folders = buildPaths.map((field) => ({ field, name: 'buildPath', text: textOf(field) }));
  const folder = folders.map(({ text }) => text).find((text) => text !== '') ?? '';
  const paths = Object.entries(belowCode).map(([field, name]) => ({ field, name, text: textOf(field) }));
  const inFolder = ['dockerfile', 'publishDirectory'].map((field) => {
    const text = textOf(field);
    return { field, name: field, text: text === '' ? '' : `${folder}/${text}` };
  });
  return [...folders, ...paths, ...(folders.some(isFound) ? [] : inFolder)].flatMap(findingsOf);
}

const buildPaths = ['buildPath', 'customGitBuildPath', 'gitlabBuildPath', 'bitbucketBuildPath', 'giteaBuildPath'];

const belowCode = {
  dockerContextPath: 'contextPath',
  dockerBuildStage: 'buildStage',
  railpackVersion: 'version',
  herokuVersion: 'version',
};

/** The finding for one field that is a path in the code. */
export function pathLeaves({ values }: CheckedResource, field: string) {
  return findingsOf({ field, name: field, text: String(values[field] ?? '') });
}

function findingsOf(place: Place) {
  const { field, name, text } = place;
  if (!isFound(place)) return [];
  if (isOfShell(text)) {
    const message = `${name} has a sign that means something to a shell, and the platform writes it into a command`;
    return [{ field, message, remedy: 'Write it with letters, digits and . / @ + _ - alone.' }];
  }
  const message = `${name} leads out of the folder of the code, to what others have on the host`;
  return [{ field, message, remedy: 'Write a path that stays in the repository.' }];
}

function isFound({ text }: Place): boolean {
  return isOfShell(text) || /^\/?\.\.(?:\/|$)/.test(resolvedPath(text));
}

/** A value that is not known has a $. */
function isOfShell(text: string): boolean {
  return !/^[\w./@+-]*$/.test(text);
}
