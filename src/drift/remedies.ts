import type { Finding } from './finding.ts';

/** One way to deal with a finding: what it does, and the words of its command. */
export interface Remedy {
  readonly aim: string;
  /** undefined: there is no command. */
  readonly command?: CommandWords;
}

/** The words of a command, and its options with their values. */
export interface CommandWords {
  readonly words: readonly string[];
  readonly options?: readonly (readonly [name: string, value?: string])[];
}

/** What a person can do about a finding, the most usual first. */
export function remediesFor({
  is,
  address,
  path,
  objectId = '',
  isLeft,
  missing = [],
  edited,
  isSecret,
}: Pick<
  Finding,
  'is' | 'address' | 'path' | 'objectId' | 'isLeft' | 'missing' | 'edited' | 'isSecret'
>): readonly Remedy[] {
  const field = path === undefined ? [] : [['--field', path] as const];
  const subject = address ?? objectId;
  const leave = {
    aim: 'leave it for now',
    command: {
      words: ['drift', 'accept', subject],
      options: [...field, ['--until', 'DATE'], ['--because', 'TEXT']],
    },
  } as const;
  const put = (aim: string): Remedy[] =>
    address === undefined ? [] : [{ aim, command: { words: ['apply'], options: [['--target', address]] } }];
  switch (is) {
    case 'drifted': {
      const keep: Remedy =
        isSecret === true
          ? { aim: 'keep what the platform has: write it into the manifest by hand, because it is or holds a secret' }
          : { aim: 'keep what the platform has', command: { words: ['drift', 'adopt', subject], options: field } };
      const aim = edited === true ? 'write what the manifest says' : 'put it back';
      const within = missing.length === 0 ? '' : ` in a run that has ${missing.join(', ')}`;
      return isLeft === true && missing.length === 0 ? [keep, leave] : [...put(`${aim}${within}`), keep, leave];
    }
    case 'missing':
      return [
        ...put('create it again'),
        { aim: 'remove its block from the manifest', command: { words: ['drift', 'adopt', subject] } },
        leave,
      ];
    case 'unmanaged':
      return [
        address === undefined
          ? { aim: 'take it into the manifest', command: { words: ['export'], options: [['--unmanaged']] } }
          : { aim: 'take it into the manifest', command: { words: ['export'], options: [['--address', address]] } },
        { aim: 'delete it on the platform' },
        leave,
      ];
    case 'duplicate':
      return [{ aim: 'compare the two on the platform, and delete the one that you do not need' }, leave];
    case 'not yet applied':
      return put('apply the change');
    default:
      return is satisfies never;
  }
}

/** The same as sentences. */
export function remedyText(finding: Parameters<typeof remediesFor>[0], command: CommandText): string {
  const sentences = remediesFor(finding).map(({ aim, command: words }) =>
    words === undefined ? aim : `${aim}: ${command(words)}`,
  );
  return sentences.map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`).join('. ');
}

/**
 * The words of a command that stand before its options, and the options. An id can begin with a hyphen: it comes last,
 * behind `--`.
 */
export function lineOf({ words, options = [] }: CommandWords): {
  readonly words: readonly string[];
  readonly flags: readonly string[];
} {
  const flags = options.flatMap(([name, value]) =>
    value === undefined ? [name] : value.startsWith('-') ? [`${name}=${value}`] : [name, value],
  );
  const at = words.findIndex((word) => word.startsWith('-'));
  return at === -1 ? { words, flags } : { words: words.slice(0, at), flags: [...flags, '--', ...words.slice(at)] };
}

/** The command line of other words of Trueup for the same manifest, as a shell takes it. */
export type CommandText = (command: CommandWords) => string;
