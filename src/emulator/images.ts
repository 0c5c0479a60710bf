/** Decides what becomes of an image by its name, or by a text with the name. Reaches no registry. */

/** Why an image cannot be pulled: it is called `fail:…`. */
export function pullProblem(text: string): string | undefined {
  return /\bfail:/.test(text) ? 'cannot pull the image' : undefined;
}

/** Milliseconds that the pulls of a text take: for ever for `stall:…`. */
export function pullTime(text: string): number {
  if (/\bstall:/.test(text)) return Infinity;
  return Math.max(0, ...[...text.matchAll(/:[\w.-]*\bwill-[\w.-]*/g)].map(([tag]) => behaviourOf(tag).pull ?? 0));
}

/** How containers of an image behave; times are in milliseconds, from the start of the container. */
export interface Behaviour {
  readonly pull?: number | undefined;
  /** Its health check passes from then on. */
  readonly healthy?: number | undefined;
  /** Its health check has failed for good by then. */
  readonly unhealthy?: number | undefined;
  /** It ends with a code; after so many `times` it stays up. */
  readonly exit?: { readonly code: number; readonly after: number; readonly times?: number };
  /** What it writes; undefined: what others write. */
  readonly says?: readonly string[];
  /** Why a node that has it does not start it. */
  readonly refusal?: string | undefined;
  /** Why no node can take it. */
  readonly pending?: string;
  /** Another node than the one that is asked runs it. */
  readonly isElsewhere: boolean;
}

/**
 * The behaviour that the tag of an image names after `will-`, as in `shop:2-will-pull-90s-exit-1-after-5s`: `pull-90s`,
 * `healthy-after-5s`, `unhealthy-after-5s`, `exit-1-after-500ms`, `exit-1-after-5s-3-times`, `pending`, `elsewhere`.
 */
function behaviourOf(image: string): Behaviour {
  const words = wordsIn(image);
  const time = (form: string): number | undefined => timeIn(new RegExp(`-${form}-(\\d+m?s)`).exec(words)?.[1]);
  const [, code, after, times] = /-exit-(\d+)-after-(\d+m?s)(?:-(\d+)-times)?/.exec(words) ?? [];
  return {
    pull: time('pull'),
    healthy: time('healthy-after'),
    unhealthy: time('unhealthy-after'),
    ...(code === undefined
      ? {}
      : {
          exit: {
            code: Number(code),
            after: timeIn(after) ?? 0,
            ...(times === undefined ? {} : { times: Number(times) }),
          },
        }),
    ...(words.includes('-pending') ? { pending: noNode } : {}),
    isElsewhere: words.includes('-elsewhere'),
  };
}

function wordsIn(image: string): string {
  return /:[\w.-]*?\bwill(-[\w.-]*)$/.exec(image)?.[1] ?? '';
}

/**
 * Milliseconds that a container shows to have run when it starts: none where it will end, or its image has words after `will-`,
 * such as `web:will-start`. Others would keep everything waiting that looks whether they stay up.
 */
export function headStart({ image, behaviour }: { readonly image: string; readonly behaviour: Behaviour }): number {
  return wordsIn(image) === '' && behaviour.exit === undefined ? 60_000 : 0;
}

/** The behaviour of an image where it has these mounts and variables. */
export function behaviourIn(image: string, mounts: readonly string[], env: readonly string[]): Behaviour {
  const major = Number(/(?:^|\/)postgres:(\d+)/.exec(image)?.[1]);
  const hasOwnFolder = env.some((line) => line.startsWith('PGDATA='));
  // From 18 on the image keeps its data in another folder, and does not start while something is mounted on the old one.
  if (major >= 18 && !hasOwnFolder && mounts.some((path) => /^\/var\/lib\/postgresql\/data\/?$/.test(path)))
    return { ...behaviourOf(image), exit: { code: 1, after: 500 }, says: movedData };
  return behaviourOf(image);
}

/** In own words, after https://github.com/docker-library/postgres/pull/1259. */
const movedData: readonly string[] = [
  'Error: from 18 on, the images of PostgreSQL keep their data in another folder, one for each major version.',
  'Something is mounted at /var/lib/postgresql/data, which is not used any more (unused mount/volume).',
  'Mount one volume at /var/lib/postgresql, which has the folders of all versions below it.',
];

const noNode = 'no suitable node (scheduling constraints not satisfied on 1 node)';

function timeIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number.parseInt(text, 10) * (text.endsWith('ms') ? 1 : 1000);
}
