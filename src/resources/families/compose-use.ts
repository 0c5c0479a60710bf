import { onceFor } from '../../api/once.ts';
import { type Lookup, isOpen } from '../../compose/interpolate.ts';
import type { ComposeModel, UseAt } from '../../compose/model.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { groupBy } from '../../kind/group.ts';
import { hasEnvFile, inFile, variablesOfBlock } from './compose-model.ts';
import { meantBy } from './stray-dollars.ts';

/** The variables of a compose file that are set nowhere, and those of env that reach no service. */
export function variablesFit(self: CheckedResource, model: ComposeModel): readonly Problem[] {
  return [...unset(self, model), ...refused(self, model), ...unused(self, model)];
}

function unset(self: CheckedResource, model: ComposeModel): readonly Problem[] {
  const { lookup } = variablesOfBlock(self);
  const isStack = self.values.composeType === 'stack';
  // Once for all variables of a text, which may have many.
  const gapAt = onceFor((at: UseAt['at']) => ({ gap: gapIn(at, textAt.get(at) ?? '', { model, lookup, isStack }) }));
  const textAt = new Map(model.uses.map(({ at, text }) => [at, text]));
  const missing = [...groupBy(model.uses.map((use) => [use.name, use] as const))].flatMap(([name, all]): Missing[] => {
    const value = lookup(name);
    if (value !== undefined && value !== '') return [];
    const found = all.flatMap((use): Missing[] => {
      const { operator = '', at } = use;
      const gap = operator === '' ? gapAt(at).gap : undefined;
      const isRefused = operator.endsWith('?') || gap?.fails === true;
      if (value === '' ? operator !== ':?' && !isRefused : operator !== '' && !isRefused) return [];
      const effect = operator.endsWith('?') ? 'compose refuses the file' : gap?.effect;
      return [{ name, at, isRefused, isEmpty: value === '', effect }];
    });
    return [
      found.find(({ isRefused }) => isRefused) ?? found.find(({ effect }) => effect !== undefined) ?? found[0] ?? [],
    ].flat();
  });
  const isOff = !hasEnvFile(self.values) && !isStack;
  const without =
    self.values.createEnvFile === false
      ? 'Remove createEnvFile: false: without its .env file a compose has no variables.'
      : 'Leave composePath out: a raw compose finds its variables beside docker-compose.yml only.';
  const alike = groupBy(missing.map((one) => [`${one.effect} ${one.isEmpty}`, one] as const));
  return [...alike.values()].flatMap((all): Problem[] => {
    const each = all.length < leastTogether ? all.map((one) => [one]) : [all];
    return each.flatMap((together): Problem[] => {
      const [first] = together;
      if (first === undefined) return [];
      const [is, texts, them, defaults] =
        together.length === 1
          ? ['is', 'an empty text', first.name, 'a default in the compose file:']
          : ['are', 'empty texts', 'them', 'defaults in the compose file, as in'];
      const names = someOf(
        together.map(({ name }) => `\${${name}}`),
        maxNames,
      );
      const then = first.effect ?? `compose fills in ${texts}`;
      const message = `${names} ${is} ${first.isEmpty ? 'empty' : 'set nowhere'}: ${then}`;
      const remedy = isOff ? without : `Write ${them} under env:, or ${defaults} \${${first.name}:-…}.`;
      const problem = { code: 'unset-variable', path: first.at, message, remedy } as const;
      return [inFile(self, first.isRefused ? { ...problem, fails: true } : problem)];
    });
  });
}

/** A variable that has no value where the file uses it. */
interface Missing extends Pick<UseAt, 'name' | 'at'> {
  /** The deployment fails. */
  readonly isRefused: boolean;
  readonly isEmpty: boolean;
  /** What comes of it; undefined: an empty text. */
  readonly effect: string | undefined;
}

/** Where compose makes a number or a truth of a text. */
const casts = new Set(['deploy.replicas', 'healthcheck.retries', 'privileged', 'read_only', 'stdin_open', 'tty']);

/** What a variable without value leaves of an image, a port, a volume or a number; undefined: an empty text like others. */
function gapIn(
  at: UseAt['at'],
  text: string,
  { model, lookup, isStack }: { readonly model: ComposeModel; readonly lookup: Lookup; readonly isStack: boolean },
): { readonly effect: string; readonly fails: boolean } | undefined {
  const [section, service, ...within] = at.map(String);
  if (section !== 'services') return undefined;
  const left = text.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => (lookup(name) === undefined ? '' : all));
  const [key = '', , member] = within;
  const fails = (effect: string) => ({ effect, fails: true });
  const { build } = model.services.get(service ?? '')?.definition ?? {};
  if (key === 'image' && left === '') {
    return build === undefined || isStack ? fails(`${service} has no image, and docker refuses that`) : undefined;
  }
  if (key === 'image' && /^[:/@]|[:/@]$/.test(left)) return fails(`docker refuses the image ${left}`);
  if (key === 'volumes' && member === undefined && /^$|^:|::|:$/.test(left))
    return fails(`compose refuses the volume ${left === '' ? 'without a path' : left}`);
  if (key === 'ports' && (member === undefined ? /(?:^|:)(?:\/\w*)?$/.test(left) : member === 'target' && left === ''))
    return fails(`compose refuses the port ${left === '' ? 'without a number' : left}`);
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
    return [
      inFile(self, {
        code: 'refused-expression',
        fails: true,
        path: at,
        message: `compose cannot read ${text}: a variable is $NAME or \${NAME}`,
        remedy: meantBy(text) ?? `Write $${text} for the text ${text}.`,
      }),
    ];
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
