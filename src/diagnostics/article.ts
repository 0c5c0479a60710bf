/** A name with its article: `an application`, `a mount`, `an sshKey`. */
export function withArticle(noun: string): string {
  return `${/^(?:[aeiou]|ssh)/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
