/** A path without `.`, empty parts and each `..` that a part before it undoes. */
export function resolvedPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    const before = parts.at(-1);
    if (part === '..' && before !== undefined && before !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}
