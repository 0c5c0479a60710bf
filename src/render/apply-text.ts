import { someOf } from '../diagnostics/some-of.ts';
import { groupBy } from '../kind/group.ts';
import { renderNote } from './diagnostics-text.ts';
import type { ResultDocument } from './document-schemas.ts';
import { counted, fold, indented, requestCounts } from './fold-lines.ts';
import { type Outcome, isNews, resultWords, underWay } from './outcomes.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { verdictOf } from './verdict.ts';
import { actionWords } from './action-words.ts';

/** The number of actions that were not started that are named. */
const maxNamed = 5;

/**
 * Renders the result of an apply as text: errors, skipped resources with the reason, and the next step; after an
 * interruption also the exit code.
 */
export function renderResult(result: ResultDocument, style: Style): string {
  const { outcomes, interrupted, exitCode, requests } = result;
  const news = outcomes.filter(needsReader);
  const blocks = (interrupted ? alike(news) : news.map((outcome) => [outcome])).map((some) =>
    renderOutcomes(some, style),
  );
  const exit = interrupted ? [`Exit code ${exitCode}.`] : [];
  const lines = [...notStarted(result), ...advice(result), ...exit];
  blocks.push([
    ...fold(verdictOf(result), 0, style).map((line) => style.paint('strong', line)),
    ...lines.flatMap((line) => fold(line, 0, style)),
    style.paint('faint', requestCounts(requests)),
  ]);
  return `${blocks.map((all) => all.join('\n')).join('\n\n')}\n`;
}

/** Returns true for an outcome that a person must look at. */
export function needsReader(outcome: Outcome): boolean {
  const { result, diagnostics, stopped } = outcome;
  return stopped === undefined && ((isNews(outcome) && result !== 'done') || diagnostics.length > 0);
}

/** Renders how one action ended, with its diagnostics. */
export function renderOutcome({ address, action, result, diagnostics }: Outcome, style: Style): string[] {
  const { tone, text } = resultWords[result];
  return [
    `${style.paint('strong', printable(address))}: ${style.paint(tone, text(action))}`,
    ...indented(
      diagnostics.flatMap((item) => renderNote(item, 2, style)),
      2,
    ),
  ];
}

/** Outcomes that say the same but for their addresses, of a run that ended in the middle: one block for each sort. */
function alike(outcomes: readonly Outcome[]): (readonly Outcome[])[] {
  const sortOf = ({ address, action, result, diagnostics }: Outcome) => {
    const texts = diagnostics.map(({ code, message, remedy = '', details = [] }) => [
      code,
      message,
      remedy,
      ...details,
    ]);
    return JSON.stringify([action, result, texts]).replaceAll(address, '');
  };
  return [...groupBy(outcomes.map((outcome) => [sortOf(outcome), outcome] as const)).values()];
}

/** Renders how actions ended that say the same: a few by themselves, more in one block. */
function renderOutcomes(outcomes: readonly Outcome[], style: Style): string[] {
  const [first] = outcomes;
  if (first === undefined || outcomes.length === 1) return outcomes.flatMap((one) => renderOutcome(one, style));
  const { address, action, result, diagnostics } = first;
  const { tone, text } = resultWords[result];
  const names = someOf(
    outcomes.map((one) => printable(one.address)),
    maxNamed,
  );
  // The place of one of them would be taken for that of all.
  const ofEach = diagnostics.map(({ code, severity, message, remedy }) => ({
    code,
    severity,
    message: message.replaceAll(address, 'each'),
    remedy: remedy?.replaceAll(address, 'ADDRESS'),
  }));
  return [
    ...fold(`${names}: ${text(action)}`, 0, style).map((line) => style.paint(tone, line)),
    ...indented(
      ofEach.flatMap((item) => renderNote(item, 2, style)),
      2,
    ),
  ];
}

/** Names what was not started when the run stopped, by the reason for that. */
export function notStarted({ outcomes }: ResultDocument, nameOf = printable): string[] {
  const left = outcomes.flatMap((outcome) => {
    const { stopped, action, address } = outcome;
    if (stopped === undefined || !isNews(outcome)) return [];
    return [[stopped, `${actionWords[action].now} ${nameOf(address)}`] as const];
  });
  return [...groupBy(left)].map(([why, names]) => `Not started, because ${why}: ${someOf(names, maxNamed)}.`);
}

/** What the run left, and what to do next, a sentence each. */
export function advice(result: ResultDocument, nameOf = printable): string[] {
  return [...rotations(result, nameOf), ...oldSecrets(result, nameOf), ...nextStep(result)];
}

/** Names the services that run with the new value of a secret, and those that do not yet. */
function rotations({ rotated = [] }: ResultDocument, nameOf: typeof printable): string[] {
  const names = (addresses: readonly string[]) =>
    someOf(
      addresses.map((address) => nameOf(address)),
      maxServices,
    );
  const verb = (addresses: readonly string[], one: string, many: string) => (addresses.length === 1 ? one : many);
  return rotated.flatMap(({ secret, restarted, notRestarted }) => [
    ...(restarted.length === 0
      ? []
      : [`${names(restarted)} ${verb(restarted, 'runs', 'run')} with the new value of ${secret}.`]),
    ...(notRestarted.length === 0
      ? []
      : [`${names(notRestarted)} ${verb(notRestarted, 'does', 'do')} not run with the new value of ${secret} yet.`]),
  ]);
}

/** Most services that a sentence names. */
const maxServices = 10;

/** Names the services that keep the old value of a secret, because the plan left them out. */
function oldSecrets({ narrowed }: ResultDocument, nameOf: typeof printable): string[] {
  const groups = groupBy(
    (narrowed?.oldSecrets ?? []).map(({ address, secrets }) => [secrets.join(', '), address] as const),
  );
  return [...groups].map(([secrets, addresses]) => {
    const [keep, they] = addresses.length === 1 ? ['keeps', 'it is'] : ['keep', 'they are'];
    const value = secrets === '' ? 'value of a secret' : `${secrets.includes(', ') ? 'values' : 'value'} of ${secrets}`;
    return `${addresses.map((address) => nameOf(address)).join(', ')} ${keep} the old ${value} until ${they} applied too.`;
  });
}

function nextStep({ outcomes, ending, interrupted, narrowed, diagnostics }: ResultDocument): string[] {
  if (ending === 'done') {
    const left = narrowed?.leftOut.length ?? 0;
    return [
      ...(interrupted ? ['Everything in the plan was done already.'] : []),
      ...(left === 0 ? [] : [`The plan left out ${counted(left, 'change')}: trueup plan shows what is left.`]),
    ];
  }
  const isUnsaved = diagnostics.some(({ source }) => source === 'state');
  const isDone = !isUnsaved && outcomes.filter(isNews).every((one) => one.result === 'done');
  if (isDone && !interrupted) {
    return ['Next: change each ignored value, or leave its line out; trueup plan names them.'];
  }
  const lines = [
    isUnsaved
      ? 'The changes are on the platform. The next run finds those that the state lacks.'
      : ending === 'failed'
        ? 'No change of the platform is known. The state holds what this run read.'
        : 'Finished changes are on the platform and in the state; the next run does not repeat them.',
  ];
  // Of a run that changed nothing, each request is known not to have been executed.
  const isUnsure =
    ending !== 'failed' &&
    outcomes.some(
      (outcome) =>
        (outcome.result === 'unverified' && !underWay(outcome)) || (outcome.result === 'failed' && outcome.writes > 0),
    );
  if (isUnsure) lines.push('A failed request may still have had an effect: the next plan reads the platform again.');
  const isClean = !isUnsaved && outcomes.every((one) => isFine(one));
  lines.push(
    isClean
      ? 'Next: run trueup apply again; it starts what is left.'
      : 'Next: fix the errors above, check with trueup plan, and run trueup apply again.',
  );
  return lines;
}

/** Done, or left by an interruption: nothing to fix. */
function isFine({ result, stopped }: Outcome): boolean {
  return result === 'done' || result === 'unverified' || stopped !== undefined;
}
