import type { Position } from '../diagnostics/diagnostic.ts';

/** Where a report is read: a pull request, with the files of a commit. */
export interface ReviewSite {
  /** Names the comment of this manifest and environment: letters, digits, `.`, `_`, `-`. */
  readonly key: string;
  /** The folder of the manifest in its repository, with `/` at its end; empty for the root. */
  readonly folder: string;
  /** The manifest in that folder. */
  readonly file: string;
  /** The stage of that manifest, where the report is a section of a comment about several. */
  readonly stage?: string;
  /** Most bytes of the report; by default those of a whole comment. */
  readonly maxBytes?: number;
  /** The beginning of a link to a file. */
  readonly links?:
    | { readonly base: string }
    /** A link has the commit behind `base`. */
    | { readonly base: string; readonly commit: string }
    | undefined;
}

/** The site of a report outside of a pull request. */
export const noSite: ReviewSite = { key: 'local', folder: '', file: 'trueup.yaml' };

/** The site of a report; an error about the site itself is reported without it. */
export function siteOrNone(site: () => ReviewSite): ReviewSite {
  try {
    return site();
  } catch {
    return noSite;
  }
}

/** The path of a file in the repository; undefined: it is outside. */
export function fileInRepository({ folder }: Pick<ReviewSite, 'folder'>, file: string): string | undefined {
  if (file.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of (folder + file).split(/[\\/]/)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** The address of a line in the web view of a repository; undefined: it has none. @param commit the one that is checked out */
export function lineUrl(site: ReviewSite, { file, line }: Position, commit?: string): string | undefined {
  const path = fileInRepository(site, file);
  if (site.links === undefined || path === undefined) return undefined;
  const { base } = site.links;
  const at = 'commit' in site.links ? `${commit ?? site.links.commit}/` : '';
  return `${base}${at}${path.split('/').map(encoded).join('/')}#L${line}`;
}

/** A part of a path in a link of Markdown. */
function encoded(part: string): string {
  return encodeURIComponent(part.replaceAll(/\p{Cs}/gu, '\ufffd')).replaceAll(/[!'()*_~]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
