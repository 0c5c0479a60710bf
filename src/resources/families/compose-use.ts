import { onceFor } from '../../api/once.ts';
import { type Lookup, interpolate, isOpen } from '../../compose/interpolate.ts';
import type { ComposeModel, UseAt } from '../../compose/model.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { groupBy } from '../../kind/group.ts';
import { hasEnvFile, inFile, shownAt, nameOfValue, variablesOfBlock } from './compose-model.ts';
import { meantBy } from './stray-dollars.ts';

/** The variables of a compose file that are set nowhere, and those of env that reach no service. */
export function variablesFit(self: CheckedResource, model: ComposeModel): readonly Problem[] {
  return [...unset(self, model), ...refused(self, model), ...unused(self, model)];
}

function unset(self: CheckedResource, model: ComposeModel): readonly Problem[] {
  const [hidden, shown] = [false, true].map((isShown) =>
    missingIn(self, model).filter((one) => one.isShown === isShown),
  );
  const alike = groupBy((shown ?? []).map((one) => [`${one.effect} ${one.isEmpty}`, one] as const));
  const together = [...alike.values()].flatMap((all) => (all.length < leastTogether ? all.map((one) => [one]) : [all]));
  return [...together, ...(hidden ?? []).map((one) => [one])].flatMap((all): Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    const problem = { code: 'unset-variable', path: first.at, ...explainUnset(self, first, all) } as const;
    return [inFile(self, first.isRefused ? { ...problem, fails: true } : problem)];
  });
}

/** The variables of a compose file without a value that they need, each with what comes of it first. */
function missingIn(self: CheckedResource, model: ComposeModel): readonly Missing[] {
  const { lookup } = variablesOfBlock(self);
  const isStack = self.values.composeType === 'stack';
  // Once for all variables of a text, which may have many.
  const gapAt = onceFor((at: UseAt['at']) => {
    const [text, shown] = [textAt.get(at) ?? '', interpolate(shownAt(self, at), lookup).text];
    return { gap: gapIn(at, { text, shown }, { model, lookup, isStack }) };
  });
  const textAt = new Map(model.uses.map(({ at, text }) => [at, text]));
  const shownNames = onceFor(
    (at: UseAt['at']) => new Set(interpolate(shownAt(self, at), lookup).uses.map(({ name }) => name)),
  );
  return [...groupBy(model.uses.map((use) => [use.name, use] as const))].flatMap(([name, all]): readonly Missing[] => {
    const value = lookup(name);
    if (value !== undefined && value !== '') return [];
    const isShown = all.some(({ at }) => at.at(-1) === name || shownNames(at).has(name));
    const found = all.flatMap((use): Missing[] => {
      const { operator = '', at } = use;
      const gap = operator === '' ? gapAt(at).gap : undefined;
      const isRefused = operator.endsWith('?') || gap?.fails === true;
      if (value === '' ? operator !== ':?' && !isRefused : operator !== '' && !isRefused) return [];
      const effect = operator.endsWith('?') ? 'compose refuses the file' : gap?.effect;
      return [{ name, at, isRefused, isEmpty: value === '', effect, isShown }];
    });
    return [
      found.find(({ isRefused }) => isRefused) ?? found.find(({ effect }) => effect !== undefined) ?? found[0] ?? [],
    ].flat();
  });
}

/** What is said of variables without a value; one that is not shown may be a part of a password with a `$`. */
function explainUnset(
  self: CheckedResource,
  first: Missing,
  all: readonly Missing[],
): Pick<Problem, 'message' | 'remedy'> {
  const isWritten = hasEnvFile(self.values) || self.values.composeType === 'stack';
  const without =
    self.values.createEnvFile === false
      ? 'Remove createEnvFile: false: without its .env file a compose has no variables.'
      : 'Leave composePath out: a raw compose finds its variables beside docker-compose.yml only.';
  const [is, texts, them, defaults] =
    all.length === 1
      ? ['is', 'an empty text', first.name, 'a default in the compose file:']
      : ['are', 'empty texts', 'them', 'defaults in the compose file, as in'];
  const names = someOf(
    all.map(({ name }) => `\${${name}}`),
    maxNames,
  );
  const then = `${is} ${first.isEmpty ? 'empty' : 'set nowhere'}: ${first.effect ?? `compose fills in ${texts}`}`;
  if (!first.isShown) {
    const remedy = 'Write $$ for each $ that begins no variable, and the variable itself under env:.';
    return { message: `a variable in ${nameOfValue(first.at)} ${then}`, remedy: isWritten ? remedy : without };
  }
  const remedy = `Write ${them} under env:, or ${defaults} \${${first.name}:-…}.`;
  return { message: `${names} ${then}`, remedy: isWritten ? remedy : without };
}

/** A variable that has no value where the file uses it. */
interface Missing extends Pick<UseAt, 'name' | 'at'> {
  /** The deployment fails. */
  readonly isRefused: boolean;
  readonly isEmpty: boolean;
  /** Messages may show its name. */
  readonly isShown: boolean;
  /** What comes of it; undefined: an empty text. */
  readonly effect: string | undefined;
}

/** Where compose makes a number or a truth of a text. */
const casts = new Set(['deploy.replicas', 'healthcheck.retries', 'privileged', 'read_only', 'stdin_open', 'tty']);

/** What a variable without value leaves of an image, a port, a volume or a number; undefined: an empty text like others. */
function gapIn(
  at: UseAt['at'],
  { text, shown }: { readonly text: string; readonly shown: string },
  { model, lookup, isStack }: { readonly model: ComposeModel; readonly lookup: Lookup; readonly isStack: boolean },
): { readonly effect: string; readonly fails: boolean } | undefined {
  const [section, service, ...within] = at.map(String);
  if (section !== 'services') return undefined;
  const [left = '', rest = ''] = [text, shown].map((one) =>
    one.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => (lookup(name) === undefined ? '' : all)),
  );
  const [key = '', , member] = within;
  const fails = (effect: string) => ({ effect, fails: true });
  const { build } = model.services.get(service ?? '')?.definition ?? {};
  if (key === 'image' && left === '') {
    return build === undefined || isStack ? fails(`${service} has no image, and docker refuses that`) : undefined;
  }
  if (key === 'image' && /^[:/@]|[:/@]$/.test(left)) return fails(`docker refuses the image ${rest}`);
  if (key === 'volumes' && member === undefined && /^$|^:|::|:$/.test(left))
    return fails(`compose refuses the volume ${left === '' ? 'without a path' : rest}`);
  if (key === 'ports' && (member === undefined ? /(?:^|:)(?:\/\w*)?$/.test(left) : member === 'target' && left === ''))
    return fails(`compose refuses the port ${left === '' ? 'without a number' : rest}`);
  if (left === '' && casts.has(within.join('.'))) return fails(`compose refuses ${key} without a value`);
  if (key !== 'ports') return undefined;
  const isAny = member === undefined ? /(?:^|:):[^:]+$|^:[^:]+$/.test(left) : member === 'published' && left === '';
  if (isAny) return { effect: `docker publishes the port of ${service} on any free one`, fails: false };
  const isOpen = member === undefined ? left.startsWith(':') : member === 'host_ip' && left === '';
  return isOpen ? { effect: `docker publishes the port of ${service} on all addresses`, fails: false } : undefined;
}

/** From so many variables on one finding names them all. */
const leastTogether = 4;
/** Most that it names. */
const maxNames = 30;

function refused(self: CheckedResource, { refused: all }: ComposeModel): readonly Problem[] {
  const isStack = self.values.composeType === 'stack';
  const found = all.filter(({ isBraced, isInDefault }) => (isStack ? !isInDefault : isBraced));
  // Of those in one text the first is enough.
  return [...groupBy(found.map((one) => [one.at.join('\n'), one] as const)).values()].flatMap(([first]) => {
    if (first === undefined) return [];
    const { text, at } = first;
    const isShown = interpolate(shownAt(self, at), () => undefined).refused.some((one) => one.text === text);
    const what = isShown ? text : `a $ in ${nameOfValue(at)}`;
    const remedy = isShown ? (meantBy(text) ?? `Put one more $ before ${text} for that text.`) : 'Write $$ for it.';
    const message = `compose cannot read ${what}: a variable is $NAME or \${NAME}`;
    return [inFile(self, { code: 'refused-expression', fails: true, path: at, message, remedy })];
  });
}

/** Variables that compose or docker read themselves. */
const ofTools = /^(?:COMPOSE|DOCKER|BUILDKIT|BUILDX)_/;

function unused(self: CheckedResource, { uses, services, files }: ComposeModel): readonly Problem[] {
  const { declared = [] } = variablesOfBlock(self);
  const env = self.maps['env']?.entries;
  const texts = env === undefined ? [String(self.values['env'] ?? '')] : [...env.values()].map(String);
  const all = [...services.values()];
  const takesAll = files.some(({ is, path }) => is === 'env_file' && (isOpen(path) || /(?:^|\/)\.env$/.test(path)));
  const isMounted = all.some(({ mounts }) => mounts.some(({ source = '' }) => /(?:^|\/)\.env$/.test(source)));
  if (takesAll || isMounted || !all.some(({ isActive }) => isActive)) return [];
  const used = new Set(uses.map(({ name }) => name));
  const mentioned = new Set(texts.flatMap((text) => [...text.matchAll(/\$\{\{([^{}]*)\}\}/g)].map(([, name]) => name)));
  const rest = declared
    .filter((name) => !used.has(name) && !ofTools.test(name) && !mentioned.has(name))
    .toSorted((a, b) => (a < b ? -1 : 1));
  const [first] = rest;
  if (first === undefined) return [];
  const [is, them] = rest.length === 1 ? ['reaches', 'it'] : ['reach', 'them'];
  return [
    {
      code: 'unused-env',
      address: self.address,
      field: 'env',
      message: `${someOf(rest, 5)} ${is} no service: the compose file does not use ${them}`,
      remedy: `Write ${first}: \${${first}} under environment: of a service, or env_file: .env for all.`,
    },
  ];
}
