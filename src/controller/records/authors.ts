/** Who wrote a commit, as git says it: whoever pushes can write any name there. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/**
 * Whether a signed-in name is that of an author: by name, by address, or by what stands before the `@` of it, as forges have it too
 * (`4711+alex@users.noreply.github.com`). Upper and lower case are the same.
 */
export function isBy({ name, email }: Author, who: string): boolean {
  const local = email.slice(0, Math.max(email.lastIndexOf('@'), 0));
  const names = [name, email, local, local.slice(local.indexOf('+') + 1)].map((one) => one.trim().toLowerCase());
  const asked = who.trim().toLowerCase();
  return asked !== '' && (names.includes(asked) || names.includes(asked.slice(0, Math.max(asked.lastIndexOf('@'), 0))));
}
