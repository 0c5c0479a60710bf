import type { Kind } from './kind.ts';

/**
 * An address is the YAML path of a resource, such as `production.compose.shop.domains["shop.example.com"]`.
 * It is a plain string, so that it can be a key of maps and of the state.
 */

const bare = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The address of a resource below `parent`, in a section; the section is left out for kinds addressed by their key. */
export function childAddress(parent: string | undefined, section: string | undefined, key: string): string {
  return extend([parent, section].filter((part) => part !== undefined).join('.'), key);
}

/** The address of a block: without its section where the key names the kind too, without its key where it has none. */
export function blockAddress(
  parent: string | undefined,
  { section, identity, isSingle }: Pick<Kind, 'section' | 'identity' | 'isSingle'>,
  key: string,
): string {
  if (isSingle === true) return childAddress(parent, undefined, section);
  return childAddress(parent, identity.addressedByKey === true ? undefined : section, key);
}

function extend(path: string, part: string): string {
  // Quoted, so that no address is the name of something that every object has.
  // Joined: a text that a template makes keeps all those that it was made of.
  if (!bare.test(part) || part in Object.prototype) return [path, '[', JSON.stringify(part), ']'].join('');
  return path === '' ? part : [path, '.', part].join('');
}

/** An address as Trueup writes it, from any way of quoting its parts; undefined when it is not one. */
export function normalAddress(written: string): string | undefined {
  return addressParts(written)?.reduce(extend, '');
}

/** Whether one address is another, stands below it, or stands for its old object. */
export function isWithin(address: string, ancestor: string): boolean {
  if (!address.startsWith(ancestor)) return false;
  const rest = address.slice(ancestor.length);
  return rest === '' || rest.startsWith('.') || rest.startsWith('[') || rest.startsWith(marks.deposed);
}

/** An address below another one, without that: `domains["shop.example.com"]`; undefined for any other. */
export function addressBelow(above: string | undefined, address: string): string | undefined {
  if (above === undefined || address === above || !isWithin(address, above)) return undefined;
  return address.slice(above.length).replace(/^\./, '');
}

/** The marks of texts that name a part of a block, in a plan and in a state. No block can have one. */
const marks = { deployment: ' (deploy)', run: ' (run)', deposed: ' (old)' } as const;

/**
 * A part of a block: the deployment of its service, the run of a command of its object, or an object that a new one of a
 * replacement took the place of.
 */
export type Part = keyof typeof marks;

/** The text of the address of a part. A block can have several deposed objects, each with one mark more than the one before. */
export function partAddress(address: string, part: Part): string {
  return address + marks[part];
}

/** The block that the text of an address names, and the part of it; undefined: the block itself. */
export function readAddress(address: string): { readonly block: string; readonly part: Part | undefined } {
  for (const part of ['deployment', 'run'] as const)
    if (address.endsWith(marks[part])) return { block: address.slice(0, -marks[part].length), part };
  // A mark inside of brackets belongs to a key.
  const at = address.indexOf(marks.deposed, address.lastIndexOf(']') + 1);
  return at === -1 ? { block: address, part: undefined } : { block: address.slice(0, at), part: 'deposed' };
}

/** Splits an address into its keys and sections; undefined when it is not one. */
export function addressParts(address: string): string[] | undefined {
  const parts: string[] = [];
  let rest = address;
  while (rest !== '') {
    const quoted = /^\[("(?:[^"\\]|\\.)*")\]/.exec(rest);
    const plain = /^\.?([A-Za-z_][A-Za-z0-9_-]*)/.exec(rest);
    const match = quoted ?? plain;
    if (match === null || (plain !== null && quoted === null && rest.startsWith('.') === (parts.length === 0))) {
      return undefined;
    }
    const part = match[1] ?? '';
    const text = quoted === null ? part : unquoted(part);
    if (text === undefined) return undefined;
    parts.push(text);
    rest = rest.slice(match[0].length);
  }
  return parts.length === 0 ? undefined : parts;
}

function unquoted(part: string): string | undefined {
  try {
    return JSON.parse(part) as string; // the pattern takes nothing but quoted text
  } catch {
    return undefined; // an escape that JSON does not have
  }
}
