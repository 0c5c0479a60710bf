import type { ComposeModel } from '../../compose/model.ts';
import { rewritten } from '../../compose/rewriting.ts';
import { mapOf } from '../../compose/service-parts.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { groupBy } from '../../kind/group.ts';
import { namesAreUsed } from './ignored-fields.ts';
import { hasEnvFile, inFile, mayShow, unmergedOf, nameOfValue } from './compose-model.ts';

/** Settings of a compose that fail, or do nothing, beside the others. */
export function settingsWork(self: CheckedResource): readonly Problem[] {
  const { command, composePath, sourceType, randomize, isolatedDeployment, createEnvFile, suffix, appName } =
    self.values;
  const problem = (
    code: 'refused-setting' | 'ignored-setting' | 'lost-route',
    field: string,
    message: string,
    remedy: string,
  ): Problem => ({
    code,
    address: self.address,
    field,
    message,
    remedy,
    ...(code === 'refused-setting' ? { fails: true } : {}),
  });
  const found: Problem[] = [];
  const wrong = typeof command === 'string' ? refusedInCommand(command) : undefined;
  if (wrong !== undefined) {
    found.push(
      problem(
        'refused-setting',
        'command',
        `the platform refuses a command with ${wrong}`,
        'Write one docker command without signs of a shell; && may join it with others that begin with docker compose.',
      ),
    );
  }
  if (sourceType === 'raw' && typeof composePath === 'string' && !/^(?:\.\/+)*docker-compose\.yml$/.test(composePath)) {
    const isAside = !hasEnvFile(self.values) && createEnvFile !== false;
    const message = isAside
      ? `the platform writes the variables to the .env file of ${self.shown(composePath)}, and a raw compose is always docker-compose.yml: it gets none of them`
      : 'a raw compose is always docker-compose.yml';
    found.push(problem('ignored-setting', 'composePath', message, 'Remove composePath.'));
  }
  if (randomize === true && isolatedDeployment === true) {
    found.push(
      problem(
        'ignored-setting',
        'randomize',
        'randomize does nothing beside isolatedDeployment',
        'Remove one of the two.',
      ),
    );
  }
  if (isolatedDeployment === true && typeof suffix === 'string' && suffix !== '' && suffix !== appName) {
    const message = `isolatedDeployment puts the services into the network ${self.shown(suffix)}, and the platform makes only one with the appName: without a network ${self.shown(suffix)} docker refuses the file`;
    found.push(problem('lost-route', 'suffix', message, 'Remove suffix.'));
  }
  return [...found, ...namesAreUsed(self)];
}

/** The first thing in a command that the platform refuses; undefined: nothing. */
function refusedInCommand(command: string): string | undefined {
  const sign = /[;|`$(){}<>\n\\]/.exec(command.trim())?.[0];
  if (sign !== undefined) return sign === '\n' ? 'a line break' : sign;
  if (/(?<!&)&(?!&)|&&&/.test(command)) return 'a single &';
  const others = command
    .split('&&')
    .slice(1)
    .map((part) => part.trim());
  return others.every((part) => /^docker(?:-| )compose /.test(part))
    ? undefined
    : '&& before another command than docker compose';
}

/** Values that the platform changes while it writes the compose file anew. */
export function staysAsWritten(self: CheckedResource, text: string): readonly Problem[] {
  return rewritten(text).map(({ at, from, to, value, remedy }) => {
    const about = { code: 'rewritten-file', path: at } as const;
    return value === undefined || mayShow(self, at)
      ? inFile(self, { ...about, message: `the platform writes ${to} for ${from}`, remedy: remedy(value ?? '') })
      : inFile(self, {
          ...about,
          message: `the platform writes ${nameOfValue(at)} in another form`,
          remedy: remedy('…'),
        });
  });
}

/**
 * What services lose by a domain, and all of them by isolatedDeployment. The platform adds labels and a network to the service as
 * it stands in the text, without merge keys: what they bring is replaced.
 */
export function routesWork(
  self: CheckedResource,
  children: readonly CheckedResource[],
  model: ComposeModel,
): readonly Problem[] {
  const { isolatedDeployment, composeType } = self.values;
  const domains = children.filter(({ kind, values }) => kind === 'domain' && values.enabled !== false);
  const routed = new Set(domains.map(({ values }) => values.serviceName));
  const services = [...model.services].filter(
    ([name, { isActive }]) => isActive && (isolatedDeployment === true || routed.has(name)),
  );
  const written = mapOf(unmergedOf(self)?.services);
  const namesOf = groupBy(Object.entries(written).map(([name, own]) => [own, name] as const));
  return services.flatMap(([name, { definition }]): Problem[] => {
    const found: Problem[] = [];
    const add = (problem: Pick<Problem, 'message' | 'remedy' | 'fails'>) =>
      found.push(inFile(self, { code: 'lost-route', path: ['services', name], ...problem }));
    const isRouted = routed.has(name);
    const cause = isRouted ? 'its domain' : 'isolatedDeployment';
    if (definition.network_mode !== undefined && composeType !== 'stack') {
      const message = `${name} has network_mode and gets a network for ${cause}: compose refuses the two together`;
      const remedy = isRouted
        ? 'Remove network_mode, or the domain.'
        : 'Leave out network_mode, or isolatedDeployment.';
      add({ message, remedy, fails: true });
    }
    const own = written[name];
    if (own === undefined) {
      const message = `${name} comes by a merge key, and the platform looks for the service of a domain without them`;
      if (isRouted) add({ message, remedy: `Write ${name}: with its own key under services:.`, fails: true });
      return found;
    }
    const added = ['networks', ...(isRouted ? [composeType === 'stack' ? 'deploy' : 'labels'] : [])];
    const lost = added.filter(
      (key) => definition[key] !== undefined && mapOf(own)[key] === undefined && mapOf(own)['<<'] !== undefined,
    );
    if (lost.length > 0) {
      const message = `${lost.join(' and ')} of ${name} come by a merge key, and what ${cause} adds replaces them`;
      add({ message, remedy: `Write ${lost.map((key) => `${key}:`).join(' and ')} into ${name} itself.` });
    }
    const alias = isRouted ? namesOf.get(own)?.find((other) => other !== name) : undefined;
    if (alias !== undefined) {
      const message = `${name} and ${alias} are one alias: both get the route of the domain`;
      add({ message, remedy: `Write ${alias}: { <<: *… } in place of the alias.` });
    }
    return found;
  });
}
