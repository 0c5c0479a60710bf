/**
 * An address is the YAML path of a resource, such as `production.compose.shop.domains["shop.example.com"]`.
 * It is a plain string, so that it can be a key of maps and of the state.
 */

const bare = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The address of a resource below `parent`, in a section; the section is left out for kinds addressed by their key. */
export function childAddress(parent: string | undefined, section: string | undefined, key: string): string {
  return extend([parent, section].filter((part) => part !== undefined).join('.'), key);
}

function extend(path: string, part: string): string {
  // Quoted, so that no address is the name of something that every object has.
  if (!bare.test(part) || part in Object.prototype) return `${path}[${JSON.stringify(part)}]`;
  return path === '' ? part : `${path}.${part}`;
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

/** An address as its parts: that of a block, and what of the block it names where that is not its object. */
export interface Address {
  readonly block: string;
  /** The deployment of a service, or an object that a new one of a replacement took the place of. */
  readonly part?: 'deployment' | 'deposed' | undefined;
}

const marks = { deployment: ' (deploy)', deposed: ' (old)' } as const;

/**
 * The text that names a part of a block in a plan and in a state. No block can have it. A deposed object keeps the one that
 * it has, and the next one of its block gets the mark once more.
 */
export function partAddress(block: string, part: keyof typeof marks): string {
  return block + marks[part];
}

/** Reads a text that names a block or a part of one. */
export function readAddress(text: string): Address {
  // A mark inside of brackets belongs to a key.
  const after = text.lastIndexOf(']') + 1;
  if (text.endsWith(marks.deployment)) return { block: text.slice(0, -marks.deployment.length), part: 'deployment' };
  const at = text.indexOf(marks.deposed, after);
  return at === -1 ? { block: text } : { block: text.slice(0, at), part: 'deposed' };
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
