import type { ComposeModel, ComposeService } from '../../compose/model.ts';
import { itemsOf } from '../../compose/service-parts.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { hasEnvFile, inFile, variablesOfBlock } from './compose-model.ts';

/** The error of a file without services, or with all of them in profiles that are off: compose has nothing to start, and fails. */
export function startsNothing(self: CheckedResource, { services, files }: ComposeModel): readonly Problem[] {
  const all = [...services.values()];
  const [first] = all;
  const isLeft = all.some(({ isActive }) => isActive) || files.some(({ is }) => is === 'include');
  if (isLeft || self.values.composeType === 'stack') return [];
  const about = { code: 'refused-setting', fails: true } as const;
  if (first === undefined) {
    const message = 'services: has none, and compose has nothing to start: the deployment fails';
    const remedy = 'Write a service, as in services: { web: { image: nginx } }, or remove the block.';
    return [inFile(self, { ...about, path: ['services'], message, remedy })];
  }
  const message = `all services are in profiles that are off, and compose has none to start: ${someOf([...new Set(all.flatMap((one) => profilesOf(self, one)))])}`;
  const path = ['services', first.name, 'profiles'];
  return [inFile(self, { ...about, path, message, remedy: turnOn(self, first) })];
}

/** Warnings of domains and other blocks that lead to services that do not start. */
export function routesStart(
  self: CheckedResource,
  children: readonly CheckedResource[],
  { services, named }: ComposeModel,
): readonly Problem[] {
  if (self.values.composeType === 'stack') return [];
  return children.flatMap(({ address, kind, values }): Problem[] => {
    const service = typeof values.serviceName === 'string' ? services.get(values.serviceName) : undefined;
    if (service === undefined || service.isActive || values.enabled === false) return [];
    const then = kind === 'domain' ? 'its route leads to nothing' : 'it finds no container';
    const [why, remedy] =
      named.length > 0
        ? [
            `${service.name} does not start: the command starts ${someOf(named)} only`,
            `Add ${service.name} to command:.`,
          ]
        : [
            `${service.name} starts only with a profile (${profilesOf(self, service).join(', ')}), and none of that is on`,
            turnOn(self, service),
          ];
    return [{ code: 'lost-route', address, field: 'serviceName', message: `${why}: ${then}`, remedy }];
  });
}

/** What turns a service on that is in profiles. */
export function turnOn(self: CheckedResource, service: Pick<ComposeService, 'name' | 'definition'>): string {
  const [profile = ''] = profilesOf(self, service);
  const isFlag = String(self.values.command ?? '').includes('--profile');
  if (isFlag || !hasEnvFile(self.values)) return `Remove profiles: from ${service.name}.`;
  const others = variablesOfBlock(self).lookup('COMPOSE_PROFILES') ?? '';
  return others === ''
    ? `Write COMPOSE_PROFILES: ${profile} under env:, or remove profiles: from ${service.name}.`
    : `Add ${profile} to COMPOSE_PROFILES under env:, after a comma, or remove profiles: from ${service.name}.`;
}

/** The profiles of a service as messages show them. */
function profilesOf({ shown }: CheckedResource, { definition }: Pick<ComposeService, 'definition'>): readonly string[] {
  return itemsOf(definition.profiles).map((profile) => shown(String(profile)));
}
