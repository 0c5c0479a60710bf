import { consequenceOf } from '../../api/consequences.ts';
import type { Operation, Profile } from '../../api/contract.ts';
import { contracts } from '../../api/contract.ts';
import { bareAnswers } from '../../api/vocabulary.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { profileOf, textIn } from '../../kind/profile.ts';
import { shownOnce } from '../../api/secret-members.ts';
import { Stop } from '../../diagnostics/diagnostic.ts';
import type { CallView } from '../../render/formats/call.ts';
import { callFormats } from '../../render/formats/call.ts';
import { counted } from '../../render/lines.ts';
import { printable } from '../../render/printable.ts';
import { redactAnswer, redactInput, addSecretsOf } from '../../secrets/call-secrets.ts';
import { confirm } from '../approval.ts';
import { describeLimit } from '../../api/key-limit.ts';
import { checkInput, findOperation } from '../../operate/check-input.ts';
import type { Command, Run } from '../command.ts';
import { readInput } from '../call-input.ts';
import { openPlatform } from '../connect.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { readSeconds, requireRaw, usage } from '../options.ts';
import { findPlatform } from '../../project/target.ts';
import { listOperations } from './call-list.ts';

/** The options of `call`. */
export interface CallFlags {
  readonly input?: string;
  readonly list?: string | true;
  readonly showSecrets?: true;
  readonly raw?: true;
  readonly yes?: true;
  readonly timeout: string;
}

type Input = Readonly<Record<string, unknown>>;

/** Calls one operation of the platform and prints its answer. */
export function callCommand(words: readonly string[], flags: CallFlags): Command<CallView> {
  return { formats: callFormats, execute: (run, view) => call(run, view, { words, flags }) };
}

async function call(
  run: Run,
  view: CallView,
  { words: [name, ...words], flags }: { words: readonly string[]; flags: CallFlags },
): Promise<Exit> {
  const { options, terminal } = run;
  const { redactor } = options;
  const answered = flags.raw === true ? requireRaw(view.raw) : view.answer;
  const profile = profileOf(options.kinds);
  if (flags.list !== undefined) return listOperations(view, flags.list === true ? name : flags.list, profile);
  if (name === undefined) throw usage('the operation is missing', 'trueup call --list shows all operations.');
  const operation = findOperation(name, profile);
  const deadlineMs = readSeconds('--timeout', flags.timeout, 1, 3_600) * 1_000;
  const target = await findPlatform(options);
  const input = complete(
    run,
    operation,
    await readInput(operation, { json: flags.input, words, process: run.process }),
  );
  const wrong = checkInput(operation, input).map((item) => diagnosticIn(item, profile));
  if (wrong.length > 0) throw new Stop('usage', wrong);
  const { platform } = target;
  const place = platform === 'emulator' ? 'the embedded emulator' : new URL(platform.url).host;
  if (!(await hasConsent(run, { operation, input, place, profile, isGiven: flags.yes === true }))) return 'failed';
  addSecretsOf(redactor.add, input);
  const about = {
    options,
    terminal,
    purpose: 'call',
    deadlineMs,
    takesAll: true,
  };
  const { client, close } = await openPlatform(target, about);
  try {
    const answer = await client.invoke(operation, input);
    print(run, answered, {
      operation,
      answer,
      profile,
      showsSecrets: flags.showSecrets === true,
      redact: redactor.redact,
    });
    return 'done';
  } finally {
    await close();
  }
}

/** A mistake in an input, in the words of a profile. */
function diagnosticIn({ message, remedy, ...item }: Diagnostic, profile: Profile): Diagnostic {
  const said = remedy === undefined ? {} : { remedy: textIn(remedy, profile) };
  return { ...item, message: textIn(message, profile), ...said };
}

/** Sets no limit for a new API key, unless the user sets one: by default a key is good for a few calls a day. */
function complete({ terminal }: Run, operation: Operation, input: Input): Input {
  if (operation !== 'user.createApiKey' || Object.hasOwn(input, 'rateLimitEnabled')) return input;
  terminal.err(`Sent with rateLimitEnabled=false: ${describeLimit()}.\n`);
  return { ...input, rateLimitEnabled: false };
}

/** Asks before an operation that deletes, stops or replaces something; false: the answer is no. */
async function hasConsent(
  run: Run,
  call: { operation: Operation; input: Input; place: string; profile: Profile; isGiven: boolean },
): Promise<boolean> {
  const { operation, input, place, profile, isGiven } = call;
  const consequence = consequenceOf(operation, input);
  const name = textIn(operation, profile);
  const { names } = contracts[profile];
  if (consequence === undefined) return true;
  const shown = printable(JSON.stringify(names?.data(redactInput(input)) ?? redactInput(input)));
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
    readonly profile: Profile;
    readonly showsSecrets: boolean;
    readonly redact: (text: string) => string;
  },
): void {
  const { operation, answer, profile, showsSecrets, redact } = about;
  const { names } = contracts[profile];
  const { shown, count } = showsSecrets ? { shown: answer, count: 0 } : redactAnswer(operation, answer);
  // Secrets of the input are secret in the answer too.
  printAnswer(names?.data(shown, bareAnswers.get(operation)) ?? shown, showsSecrets ? (text) => text : redact);
  if (count > 0)
    terminal.err(`${counted(count, 'secret')} redacted; --show-secrets shows ${count === 1 ? 'it' : 'them'}.\n`);
  const once = shownOnce[operation];
  if (once !== undefined) terminal.err(`The platform shows ${once} only once. Store it in a safe place now.\n`);
}
