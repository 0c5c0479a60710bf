import { consequenceOf } from '../../api/consequences.ts';
import { type Operation, beyondDocument, contract, contracts, isOperation } from '../../api/contract.ts';
import { describeLimit } from '../../api/key-limit.ts';
import type { Names } from '../../api/translate.ts';
import { shownOnce } from '../../api/secret-members.ts';
import { bareAnswers } from '../../api/vocabulary.ts';
import { type Diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { checkInput, findOperation } from '../../operate/called-operation.ts';
import { defined } from '../../formats/json.ts';
import { findPlatform, namesOf } from '../../project/target.ts';
import { renderAnswer } from '../../render/answer-text.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { counted } from '../../render/fold-lines.ts';
import { operationsJson, type Words, renderOperation, renderOperations } from '../../render/operation-views.ts';
import { printable } from '../../render/printable.ts';
import { addSecretsOf, redactAnswer, redactLeaves, redactMembers } from '../../secrets/call-secrets.ts';
import { confirm, placeOf } from '../approval.ts';
import { readInput } from '../read-call-input.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Given, type Run, defineCommand } from '../command.ts';
import { withPlatform } from '../connect.ts';
import { readSeconds, requireRaw, usage } from '../settle-options.ts';
import { alsoAutoApprove } from '../option-sets.ts';

/** Prints what `call` reports. */
interface CallView extends View {
  /** Prints the answer of the platform. */
  readonly answer: (answer: unknown) => void;
  /** Prints it without escapes: text as it is, everything else as JSON; undefined: a format that needs none. */
  readonly raw: CallView['answer'] | undefined;
  /** Prints the members of one operation; `words` gives names of the API document those of the platform. */
  readonly operation: (operation: Operation, words: Words) => void;
  readonly operations: (operations: readonly Operation[], words: Words) => void;
}

const formats: Formats<CallView> = {
  text: (screen) => ({
    ...textView(screen),
    answer: (answer) => screen.out(screen.outStyle.width === undefined ? jsonOf(answer) : renderAnswer(answer)),
    raw: (answer) => screen.raw(typeof answer === 'string' ? `${answer}\n` : jsonOf(answer)),
    operation: (operation, words) => screen.out(renderOperation(operation, screen.outStyle, words)),
    operations: (operations, words) => screen.out(renderOperations(operations, screen.outStyle, words)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    answer: (answer) => screen.out(jsonOf(answer)),
    raw: undefined,
    operation: (operation, words) => printJson(screen, operationsJson([operation], words)),
    operations: (operations, words) => printJson(screen, operationsJson(operations, words)),
  }),
};

/** An answer as the platform gave it, for jq. */
function jsonOf(answer: unknown): string {
  return `${JSON.stringify(answer ?? null, null, 2)}\n`;
}

const options = {
  '--input <json>': 'input as a JSON object, or @file, or - for standard input',
  '--list [what]': 'list the operations, those of a group, or the members of one; sends nothing',
  '--show-secrets': 'print the secrets in the answer',
  '--raw': 'print the answer unchanged, also characters that a terminal obeys',
  '--yes': 'do not ask before a deletion, stop or replacement; required without a terminal',
  ...alsoAutoApprove,
  '--timeout <time>': {
    about: 'time limit of the request, including the deployment of a database',
    default: '30s',
  },
} as const satisfies Options;

type Input = Readonly<Record<string, unknown>>;

/** Calls one operation of the platform and prints its answer. */
export const command = defineCommand({
  arguments: {
    '[operation]': 'such as compose.one',
    '[members...]': 'input: name=text, name:=JSON, name=@file, name=@- for standard input',
  },
  options,
  notes: `call uses the platform of the manifest, else that of TRUEUP_URL. It neither reads nor writes the state of Trueup.
name=text becomes a number, true, false, null or JSON where the operation takes one.
Pass secrets by file or standard input: other processes see a command line, and the shell keeps it.
The answer is JSON in a pipe and with --format json. Its secrets are redacted, except the key of user.createApiKey,
which the platform shows once; call creates such a key with rateLimitEnabled=false unless you set it.`,
  examples: [
    'trueup call --list compose',
    'trueup call --list compose.update',
    'trueup call compose.one composeId=cmp_1 | jq .domains',
    'trueup call sshKey.create --input @key.json privateKey=@id_ed25519',
    'trueup call postgres.saveExternalPort postgresId=pg_1 externalPort=null',
    'trueup call compose.stop composeId=cmp_1 --yes',
  ],
  formats,
  execute: call,
});

async function call(
  run: Run,
  view: CallView,
  { args: [name, ...words], flags }: Given<FlagsOf<typeof options>>,
): Promise<Exit> {
  const { options } = run;
  const { redactor } = options;
  const answered = flags.raw === true ? requireRaw(view.raw) : view.answer;
  if (flags.list !== undefined)
    return listOperations(view, flags.list === true ? name : flags.list, await namesOf(options));
  if (name === undefined) throw usage('the operation is missing', 'trueup call --list shows all operations.');
  const names = await namesOf(options);
  const operation = findOperation(name, names?.text);
  const deadlineMs = readSeconds('--timeout', flags.timeout, 1, 3_600) * 1_000;
  const platform = await findPlatform(options);
  const input = complete(
    run,
    operation,
    await readInput(operation, { json: flags.input, words, process: run.process }),
  );
  const wrong = checkInput(operation, input).map((item) => diagnosticIn(item, names));
  if (wrong.length > 0) throw new Stop('usage', wrong);
  const place = placeOf(platform);
  if (!(await hasConsent(run, { operation, input, place, names, isGiven: flags.yes === true }))) return 'failed';
  addSecretsOf(redactor.add, input);
  return withPlatform(run, platform, { purpose: 'call', deadlineMs, takesAll: true }, async ({ client }) => {
    const answer = await client.invoke(operation, input);
    print(run, answered, {
      operation,
      answer,
      names: client.contract.names,
      showsSecrets: flags.showSecrets === true,
      redact: redactor.redact,
    });
    return 'done';
  });
}

/** A mistake in an input, in the words of the platform. */
function diagnosticIn({ message, remedy, ...item }: Diagnostic, names: Names | undefined): Diagnostic {
  const words = names?.text ?? same;
  return { ...item, message: words(message), ...defined({ remedy: remedy && words(remedy) }) };
}

const same = (text: string): string => text;

/** Sets no limit for a new API key, unless the user sets one: by default a key is good for a few calls a day. */
function complete({ terminal }: Run, operation: Operation, input: Input): Input {
  if (operation !== 'user.createApiKey' || Object.hasOwn(input, 'rateLimitEnabled')) return input;
  terminal.err(`Sent with rateLimitEnabled=false: ${describeLimit()}.\n`);
  return { ...input, rateLimitEnabled: false };
}

/** Asks before an operation that deletes, stops or replaces something; false: the answer is no. */
async function hasConsent(
  run: Run,
  call: { operation: Operation; input: Input; place: string; names: Names | undefined; isGiven: boolean },
): Promise<boolean> {
  const { operation, input, place, names, isGiven } = call;
  const consequence = consequenceOf(operation, input);
  const name = names?.operation(operation) ?? operation;
  if (consequence === undefined) return true;
  const members = redactMembers(input);
  const shown = printable(JSON.stringify(names?.data(members) ?? members));
  return confirm(run, {
    question: `${name} at ${place} with ${shown}: ${consequence}.`,
    about: `${name}: ${consequence}`,
    isGiven,
  });
}

function print(
  { terminal }: Run,
  printAnswer: CallView['answer'],
  about: {
    readonly operation: Operation;
    readonly answer: unknown;
    readonly names: Names | undefined;
    readonly showsSecrets: boolean;
    readonly redact: (text: string) => string;
  },
): void {
  const { operation, answer, names, showsSecrets, redact } = about;
  const { shown, count } = showsSecrets ? { shown: answer, count: 0 } : redactAnswer(operation, answer);
  const named = names?.data(shown, bareAnswers.get(operation)) ?? shown;
  // Secrets of the input are secret in the answer too.
  printAnswer(showsSecrets ? named : redactLeaves(named, redact));
  if (count > 0)
    terminal.err(`${counted(count, 'secret')} redacted; --show-secrets shows ${count === 1 ? 'it' : 'them'}.\n`);
  const once = shownOnce[operation];
  if (once !== undefined) terminal.err(`The platform shows ${once} only once. Store it in a safe place now.\n`);
}

/** Lists the operations, those of a group, or the members of one. */
function listOperations(view: CallView, what: string | undefined, names: Names | undefined): Exit {
  const words = names?.text ?? same;
  const documented = Object.keys(contract).filter(isOperation);
  // A platform in the words of the API document need not have more; a call of a group beyond it is tried.
  const all: readonly Operation[] =
    what === undefined && names !== undefined ? documented : [...documented, ...beyondDocument];
  const isIn = (operation: Operation, group: string) =>
    [operation, contracts.standard.names?.operation(operation)].some((name) => name?.startsWith(`${group}.`));
  const group = all.filter((operation) => what === undefined || isIn(operation, what));
  const isOne = group.length === 0 && what !== undefined;
  const chosen: readonly Operation[] = isOne ? [findOperation(what, words)] : group;
  const [only] = chosen;
  if (only !== undefined && isOne) view.operation(only, words);
  else view.operations(chosen, words);
  return 'done';
}
