import { credentialRule } from '../manifest/private-names.ts';

/** Gives each wanted name once: the next that wants a taken one gets `-2`, `-3` behind it. */
interface Names {
  readonly take: (wanted: string) => string;
}

/** Makes a set of names. Two of the same `form` are one name; `numbered` puts a number behind one. */
export function createNames(
  taken: Iterable<string> = [],
  {
    form = (name) => name,
    numbered = (name, count) => `${name}-${count}`,
  }: {
    readonly form?: (name: string) => string;
    readonly numbered?: (name: string, count: number) => string;
  } = {},
): Names {
  const all = new Set([...taken].map(form));
  const nextOf = new Map<string, number>();
  return {
    take: (wanted) => {
      let name = wanted;
      for (let count = nextOf.get(form(wanted)) ?? 2; all.has(form(name)); count++) {
        name = numbered(wanted, count);
        nextOf.set(form(wanted), count + 1);
      }
      all.add(form(name));
      return name;
    },
  };
}

/** A number behind the name of a file, before its extension: `nginx-2.conf`. */
function numberedFile(name: string, count: number): string {
  const at = name.lastIndexOf('.');
  return at > name.lastIndexOf('/') + 1 ? `${name.slice(0, at)}-${count}${name.slice(at)}` : `${name}-${count}`;
}

/** Names of files, where two that differ in case are one: some disks ignore it. */
export function createFileNames(taken: Iterable<string> = []): Names {
  return createNames(taken, { form: (name) => name.toLowerCase(), numbered: numberedFile });
}

/** The longest name of a file or folder, and the longest key that a block takes from a name. */
const maxCharacters = 60;
const maxKeyCharacters = 120;

/** Names that some file systems keep for devices. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** One part of a path that every file system takes, from any text: no way up, no hidden file, no name that git or Trueup refuses. */
export function fileName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/-{2,}/g, '-');
  const at = plain.lastIndexOf('.');
  const extension = at > 0 && plain.length - at <= 8 ? plain.slice(at) : '';
  const cut = plain.slice(0, plain.length - extension.length).slice(0, maxCharacters - extension.length) + extension;
  const trimmed = cut.replace(/^[-.]+/, '').replace(/(?<![-.])[-.]+$/, '');
  const name = trimmed === '' ? 'unnamed' : reserved.test(trimmed) ? `_${trimmed}` : trimmed;
  return credentialRule(name) === undefined ? name : `_${name}.txt`;
}

/** The name of a YAML file without its ending, and of the folder beside it: no other file `NAME.yaml` is that folder. */
export function yamlStem(text: string): string {
  return fileName(text).replace(/\.(?=ya?ml$)/i, '-');
}

/** The last part of a path, whatever separates the parts. */
export function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '' && part !== '.' && part !== '..') ?? path;
}

/** The key of a block from the name of its object: the name itself, unless it makes a poor key. */
export function keyFor(name: string): string {
  // Keys take no expressions.
  const isFit =
    name.length <= maxKeyCharacters &&
    name.trim() === name &&
    !name.includes('${') &&
    /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name);
  return isFit ? name : wordsOf(name).join('-').slice(0, maxKeyCharacters) || 'unnamed';
}

/** The name of a secret from the parts of its place: PRODUCTION_MAIN_DATABASE_PASSWORD. */
export function secretName(parts: readonly string[]): string {
  const words = parts.flatMap((part) => wordsOf(part.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')));
  const name = words.join('_').toUpperCase().slice(0, 100);
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`.replace(/(?<!_)_+$/, '');
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}
