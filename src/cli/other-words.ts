import { commands, nameIn } from './commands/index.ts';

/**
 * Words of other command lines, some behind the command that they stand below. Each has what does the same here: a command line, or
 * an option, where the named command takes it.
 */
export const otherWords: Readonly<Record<string, string>> = {
  // Terraform, OpenTofu
  version: 'trueup --version',
  refresh: 'trueup drift',
  taint: 'trueup apply --replace ADDRESS',
  console: "trueup eval '${var:NAME}'",
  'force-unlock': 'trueup state unlock',
  unlock: 'trueup state unlock',
  workspace: 'trueup plan -f staging.yaml',
  providers: 'trueup doctor',
  login: 'trueup doctor',
  get: 'trueup status',
  test: 'trueup validate',
  'state ls': 'trueup state list',
  'state pull': 'trueup state list --format json',
  'state push': 'trueup state rebuild',
  'state remove': 'trueup state rm ADDRESS',
  'state delete': 'trueup state rm ADDRESS',
  '-chdir': '-C DIR',
  '-json': '--format json',
  '--json': '--format json',
  '-refresh': 'trueup validate',
  '-refresh-only': 'trueup drift',
  '-parallelism': '--connections N',
  '--parallelism': '--connections N',
  '-generate-config-out': 'trueup export --unmanaged',
  '-v': '--version',
  '-version': '--version',
  '--yaml': '--format json',
  // Pulumi
  new: 'trueup init',
  up: 'trueup apply',
  update: 'trueup apply',
  watch: 'trueup status --watch',
  cancel: 'trueup state unlock',
  stack: 'trueup state list',
  whoami: 'trueup doctor',
  about: 'trueup doctor',
  convert: 'trueup export --from-terraform FILE',
  '--stack': '-f NAME',
  '--diff': '--full',
  '--skip-preview': '--auto-approve',
  '-y': '--yes',
  // kubectl, Helm, Argo CD
  diff: 'trueup plan',
  describe: 'trueup explain ADDRESS',
  edit: 'trueup apply',
  create: 'trueup apply',
  delete: 'trueup destroy --target ADDRESS',
  rollout: 'trueup run redeploy ADDRESS',
  scale: 'trueup apply',
  top: 'trueup status',
  events: 'trueup status --watch',
  install: 'trueup apply',
  upgrade: 'trueup apply',
  uninstall: 'trueup destroy',
  rollback: 'trueup apply',
  template: 'trueup plan',
  lint: 'trueup validate',
  list: 'trueup state list',
  ls: 'trueup state list',
  sync: 'trueup apply',
  '--dry-run': 'trueup plan',
  '-o': '--format json',
  '--output': '--format json',
  '--follow': 'trueup logs ADDRESS --tail N',
  'status --follow': '--watch',
  'status -w': '--watch',
  // docker, docker compose
  down: 'trueup destroy',
  ps: 'trueup status',
  start: 'trueup run start ADDRESS',
  stop: 'trueup run stop ADDRESS',
  restart: 'trueup run reload ADDRESS',
  reload: 'trueup run reload ADDRESS',
  build: 'trueup run deploy ADDRESS',
  pull: 'trueup run redeploy ADDRESS',
  kill: 'trueup run stop ADDRESS',
  rm: 'trueup state rm ADDRESS',
  mv: 'trueup state mv ADDRESS TO',
  config: 'trueup validate',
  log: 'trueup logs ADDRESS',
  'run restart': 'trueup run reload ADDRESS',
  'run up': 'trueup run deploy ADDRESS',
  'run down': 'trueup run stop ADDRESS',
  // platforms, and what people try
  deploy: 'trueup run deploy ADDRESS',
  redeploy: 'trueup run redeploy ADDRESS',
  rebuild: 'trueup run rebuild ADDRESS',
  backup: 'trueup run backup ADDRESS',
  adopt: 'trueup import ADDRESS ID',
  accept: 'trueup drift accept ADDRESS',
  check: 'trueup validate',
  format: 'trueup fmt',
  remove: 'trueup destroy --target ADDRESS',
  undo: 'trueup apply',
  '--force': '--auto-approve',
  '--verbose': '--full',
};

/** Where a word was found: the name of its command, such as `state`, and the options that this takes. */
interface Place {
  readonly name?: string;
  readonly has?: (option: string) => boolean;
}

/** The remedy for a word of another command line; undefined: there is none. */
export function remedyFor(word: string, place: Place = {}): string | undefined {
  const meant = otherWord(word, place);
  if (meant === undefined) return undefined;
  const words = meant.split(' ').slice(1);
  const [, summary] =
    commands.findLast(([usage]) =>
      nameIn(usage)
        .split(' ')
        .every((one, at) => one === words[at]),
    ) ?? [];
  return meant.startsWith('trueup ') && summary !== undefined
    ? `Did you mean ${meant} (${summary})?`
    : `Did you mean ${meant}?`;
}

function otherWord(word: string, { name, has = () => false }: Place): string | undefined {
  // Terraform writes long options with one hyphen.
  if (/^-[a-z]{2}/.test(word) && has(`-${word}`)) return `-${word}`;
  // A command has other words than the program; options are the same everywhere, but for some.
  const keys = name === undefined ? [word] : [`${name} ${word}`, ...(word.startsWith('-') ? [word] : [])];
  const key = keys.find((one) => Object.hasOwn(otherWords, one));
  const meant = key === undefined ? undefined : otherWords[key];
  return meant === undefined || meant.startsWith('trueup ') || has(meant.split(' ')[0] ?? '') ? meant : undefined;
}
