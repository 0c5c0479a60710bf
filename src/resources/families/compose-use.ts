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

function unset(self: CheckedResource, { uses }: ComposeModel): readonly Problem[] {
  const { lookup } = variablesOfBlock(self);
  const missing = [...groupBy(uses.map((use) => [use.name, use] as const))].flatMap(([name, all]) => {
    const value = lookup(name);
    const isMissing = ({ operator = '' }: UseAt) =>
      value === undefined || (value === '' && operator === ':?') ? operator === '' || operator.endsWith('?') : false;
    const found = all.filter(isMissing);
    const first = found.find(({ operator }) => operator?.endsWith('?')) ?? found[0];
    if (first === undefined) return [];
    return [{ name, at: first.at, isRefused: first.operator?.endsWith('?') === true, isEmpty: value === '' }];
  });
  const isOff = !hasEnvFile(self.values) && self.values.composeType !== 'stack';
  const without =
    self.values.createEnvFile === false
      ? 'Remove createEnvFile: false: without its .env file a compose has no variables.'
      : 'Leave composePath out: a raw compose finds its variables beside docker-compose.yml only.';
  const alike = groupBy(missing.map((one) => [`${one.isRefused} ${one.isEmpty}`, one] as const));
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
      const then = first.isRefused ? 'compose refuses the file' : `compose fills in ${texts}`;
      const message = `${names} ${is} ${first.isEmpty ? 'empty' : 'set nowhere'}: ${then}`;
      const remedy = isOff ? without : `Write ${them} under env:, or ${defaults} \${${first.name}:-…}.`;
      const problem = { code: 'unset-variable', path: first.at, message, remedy } as const;
      return [inFile(self, first.isRefused ? { ...problem, fails: true } : problem)];
    });
  });
}

/** From so many variables on one finding names them all. */
const leastTogether = 4;
/** Most that it names. */
const maxNames = 30;

function refused(self: CheckedResource, { refused: all }: ComposeModel): readonly Problem[] {
  const isStack = self.values.composeType === 'stack';
  return all
    .filter(({ isBraced }) => isBraced || isStack)
    .map(({ text, at }) =>
      inFile(self, {
        code: 'refused-expression',
        fails: true,
        path: at,
        message: `compose cannot read ${text}: a variable is $NAME or \${NAME}`,
        remedy: meantBy(text) ?? `Write $${text} for the text ${text}.`,
      }),
    );
}

/** Variables that compose or docker read themselves. */
const ofTools = /^(?:COMPOSE|DOCKER|BUILDKIT|BUILDX)_/;

function unused(self: CheckedResource, { uses, services, files }: ComposeModel): readonly Problem[] {
  const { declared = [] } = variablesOfBlock(self);
  const env = self.maps['env']?.entries;
  const texts = env === undefined ? [String(self.values['env'] ?? '')] : [...env.values()].map(String);
  const all = [...services.values()];
  const takesAll = files.some(({ is, path }) => is === 'env_file' && /(?:^|\/)\.env$/.test(path));
  const isMounted = all.some(({ mounts }) => mounts.some(({ source = '' }) => /(?:^|\/)\.env$/.test(source)));
  if (takesAll || isMounted || all.length === 0) return [];
  const used = new Set(uses.map(({ name }) => name));
  const rest = declared
    .filter((name) => !used.has(name) && !ofTools.test(name) && !texts.some((text) => text.includes(`\${{${name}}}`)))
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
