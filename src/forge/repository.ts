/** A repository at a forge, and how its REST API is called. */
export interface Repository {
  /** `gitea` is Gitea and Forgejo. */
  readonly name: 'github' | 'gitlab' | 'gitea';
  /** The address of the REST API, without a slash at the end. */
  readonly api: string;
  /** The path of the repository below the API: `/repos/shop/infra`, `/projects/12`. */
  readonly repository: string;
  /** The token that reads pull requests and writes comments. */
  readonly token: string | undefined;
}

/** The id of a commit; undefined: a value is none. */
export function readCommit(value: unknown): string | undefined {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined;
}
