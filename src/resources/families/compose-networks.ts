import type { ComposeModel } from '../../compose/model.ts';
import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import { didYouMean } from '../../diagnostics/closest.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { maxCompared, serviceSuffix } from './compose-model.ts';

/**
 * Entries of serviceNetworks that have no effect, and those by which docker refuses the file: the platform looks for a service
 * by its name with the suffix, and declares no network in the file of an isolated compose. `model`: undefined for a file that is
 * not read. Source: addDomainToCompose and applyServiceNetworks of v0.30.2.
 */
export function networksJoin(self: CheckedResource, model?: ComposeModel): readonly Problem[] {
  const { unknown = [] } = self;
  if (['suffix', 'randomize', 'isolatedDeployment'].some((field) => unknown.includes(field))) return [];
  const isWhole = model?.files.every(({ is }) => is !== 'include') === true;
  const entries = itemsOf(self.written('serviceNetworks')).map(mapOf);
  const suffix = serviceSuffix((field) => self.values[field] ?? null);
  return entries.flatMap(({ serviceName, networkIds }): Problem[] => {
    if (typeof serviceName !== 'string' || serviceName.includes('${')) return [];
    const plain = serviceName.endsWith(suffix) ? serviceName.slice(0, serviceName.length - suffix.length) : undefined;
    const service = plain === undefined ? undefined : model?.services.get(plain);
    if (plain === undefined || (isWhole && service === undefined)) {
      const left = leftOut(self, serviceName, suffix, model);
      return [mayBeCalled(self, serviceName, model) ? { ...left, when: { isNew: 'for certain' } } : left];
    }
    if (itemsOf(networkIds).length === 0 || service === undefined) return [];
    return [...refusedNetworks(self, plain, model)];
  });
}

/** Whether a service has the name where the platform has a suffix that the block leaves out. */
function mayBeCalled({ values }: CheckedResource, name: string, model: ComposeModel | undefined): boolean {
  const { suffix, randomize = true, isolatedDeployment = false } = values;
  if (suffix !== undefined || randomize !== true || isolatedDeployment === true) return false;
  return [...(model?.services.keys() ?? [])].some((service) => name.startsWith(`${service}-`));
}

function about({ address }: CheckedResource, problem: Pick<Problem, 'code' | 'message' | 'remedy' | 'fails'>): Problem {
  return { address, field: 'serviceNetworks', ...problem };
}

function leftOut(self: CheckedResource, name: string, suffix: string, model: ComposeModel | undefined): Problem {
  const shown = self.shown(name);
  const names = [...(model?.services.keys() ?? [])];
  if (suffix !== '' && (model === undefined || model.services.has(name))) {
    const renamed = self.shown(`${name}${suffix}`);
    const message = `a deployment calls the service ${shown} ${renamed}, and the platform leaves out the entry for ${shown}`;
    return about(self, { code: 'ignored-setting', message, remedy: `Write serviceName: ${renamed}.` });
  }
  const called = names.map((one) => `${one}${suffix}`);
  const after = suffix === '' ? '' : ` after the suffix ${self.shown(suffix)}`;
  const message = `the compose file has no service ${shown}${after}, and the platform leaves out the entry for it`;
  const remedy = didYouMean(name, called.length > maxCompared ? [] : called, `Its services are ${someOf(called)}.`);
  return about(self, { code: 'ignored-setting', message, remedy });
}

function refusedNetworks(self: CheckedResource, name: string, model: ComposeModel | undefined): readonly Problem[] {
  const { composeType, isolatedDeployment } = self.values;
  const service = self.shown(name);
  const refused = { code: 'refused-setting', fails: true } as const;
  if (composeType !== 'stack' && model?.services.get(name)?.definition.network_mode !== undefined) {
    const message = `${service} has network_mode, and compose refuses that together with networks`;
    return [about(self, { ...refused, message, remedy: `Leave out network_mode, or the entry for ${service}.` })];
  }
  // A network that the file declares as external has the name that the platform puts into the service.
  const isDeclared = [...(model?.networks.values() ?? [])].some((network) => mapOf(network).external !== undefined);
  if (isolatedDeployment !== true || isDeclared) return [];
  const message = `the platform puts ${service} into the network, but with isolatedDeployment it does not declare that in the compose file, and docker refuses the file`;
  const remedy =
    'Declare the network in the compose file by its name, as in networks: { back: { external: true } }; or leave out isolatedDeployment.';
  return [about(self, { ...refused, message, remedy })];
}
