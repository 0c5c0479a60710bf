import { isOpen } from '../../compose/interpolate.ts';
import { type Reference, referencesOf } from '../../compose/references.ts';
import type { ComposeModel, ComposeService } from '../../compose/model.ts';
import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import { type SuffixBreak, suffixBreaks } from '../../compose/suffix.ts';
import { didYouMean } from '../../diagnostics/closest.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { type Json, isObject } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { groupBy } from '../../kind/group.ts';
import { composeYamlOf, inFile, maxCompared, unmergedOf, serviceSuffix } from './compose-model.ts';
import { turnOn } from './compose-profiles.ts';

/** What compose refuses of the services that start: they have nothing to run, or two sorts of networks. */
export function servicesStart(self: CheckedResource, { services }: ComposeModel): readonly Problem[] {
  if (self.values.composeType === 'stack') return [];
  const active = [...services.values()].filter(({ isActive }) => isActive);
  const refuse = (
    all: readonly ComposeService[],
    what: string,
    remedy: string,
    within: readonly string[] = [],
  ): readonly Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    const names = someOf(all.map(({ name }) => name));
    const message = `${names} ${all.length === 1 ? 'has' : 'have'} ${what}`;
    const path = ['services', first.name, ...within];
    return [inFile(self, { code: 'refused-setting', fails: true, path, message, remedy })];
  };
  return [
    ...refuse(
      active.filter((one) => !isRunnable(one)),
      'neither image: nor build:, and compose refuses the file',
      'Write image: there, or remove what is no whole service.',
    ),
    ...refuse(
      active.filter(hasTwoNetworks),
      'network_mode and networks, and compose refuses the two together',
      'Remove one of the two.',
    ),
    ...refuse(
      active.filter(hasOpenTest),
      'healthcheck.test as a list that begins with none of CMD, CMD-SHELL and NONE, and compose refuses the file',
      'Write CMD before the command, as in ["CMD", "curl", "-f", "http://localhost"].',
      ['healthcheck', 'test'],
    ),
  ];
}

function hasOpenTest({ definition: { healthcheck } }: ComposeService): boolean {
  const [first] = itemsOf(mapOf(healthcheck).test);
  return typeof first === 'string' && !/^(?:CMD|CMD-SHELL|NONE)$/.test(first) && !isOpen(first);
}

/** Notes what the server must have before services start: compose makes no external volume, and pulls no such image. */
export function needsBeforehand(self: CheckedResource, { services, volumes }: ComposeModel): readonly Problem[] {
  if (self.values.composeType === 'stack') return [];
  return [...services.values()].flatMap(({ name, mounts, isActive, definition }): Problem[] => {
    const sources = new Set(mounts.flatMap(({ type, source = '' }) => (type === 'volume' ? [source] : [])));
    const external = [...sources].filter((source) => isExternal(volumes.get(source)));
    const isLocal = definition.pull_policy === 'never' && (definition.build ?? null) === null;
    const needed = [
      ...(external.length === 0
        ? []
        : [`the external ${external.length === 1 ? 'volume' : 'volumes'} ${someOf(external)}`]),
      ...(isLocal ? ['its image, by pull_policy: never'] : []),
    ];
    if (needed.length === 0 || !isActive) return [];
    const message = `${name} needs ${needed.join(' and ')}: the server must have ${external.length + (isLocal ? 1 : 0) > 1 ? 'them' : 'it'} before the deployment`;
    const remedy =
      external.length === 0
        ? 'Load the image on the server first, or remove pull_policy: never.'
        : 'Run docker volume create on the server first, or remove external: true where the volume is of this compose.';
    const path = external.length === 0 ? ['services', name, 'pull_policy'] : ['services', name, 'volumes'];
    return [inFile(self, { code: 'must-exist', path, message, remedy })];
  });
}

function isExternal(volume: Json | undefined): boolean {
  const { external } = mapOf(volume);
  return isObject(external) || external === true || /^(?:true|y|yes|on)$/i.test(String(external));
}

/** Whether a service has something to run. What another file brings is not known; the check of variables tells of an image that one leaves empty. */
function isRunnable({
  image,
  imageWritten = '',
  definition: { build, provider, extends: from },
}: ComposeService): boolean {
  if (image !== undefined && (image !== '' || imageWritten.includes('$'))) return true;
  return [build, provider, from].some((one) => one !== undefined && one !== null);
}

function hasTwoNetworks({ definition: { network_mode: mode, networks } }: ComposeService): boolean {
  return typeof mode === 'string' && (itemsOf(networks).length > 0 || Object.keys(mapOf(networks)).length > 0);
}

const words: Readonly<Record<Reference['section'], string>> = {
  services: 'service',
  networks: 'network',
  volumes: 'volume',
  configs: 'config',
  secrets: 'secret',
};

/** Names of services, networks, volumes, configs and secrets that the file does not have: docker refuses it. */
export function namesHold(
  self: CheckedResource,
  children: readonly CheckedResource[],
  model: ComposeModel,
): readonly Problem[] {
  // What an included file has is not known.
  if (model.files.some(({ is }) => is === 'include')) return [];
  const given = networksGiven(self, children);
  const isStack = self.values.composeType === 'stack';
  return [...model.services.values()].flatMap((service) =>
    referencesOf(service.definition).flatMap((reference): Problem[] => {
      const { section, name } = reference;
      const isIgnored = (isStack && section === 'services') || (section === 'networks' && given.has(name));
      const isAsked = service.isActive && !isIgnored && !isOpen(name);
      const problem = isAsked ? lost(self, { service, reference, model }) : undefined;
      if (problem === undefined) return [];
      const path = ['services', service.name, reference.key];
      return [inFile(self, { code: 'refused-setting', fails: true, path, ...problem })];
    }),
  );
}

function lost(
  self: CheckedResource,
  {
    service: { name: service },
    reference: { section, name, key, isOptional },
    model,
  }: { readonly service: ComposeService; readonly reference: Reference; readonly model: ComposeModel },
): Pick<Problem, 'message' | 'remedy'> | undefined {
  const found = model[section].get(name);
  if (section === 'services' && found !== undefined) {
    const needed = model.services.get(name);
    if (needed === undefined || needed.isActive || isOptional) return undefined;
    const message = `${service} needs ${name} by ${key}:, which starts only with a profile`;
    return { message, remedy: turnOn(self, needed) };
  }
  if (found !== undefined) return undefined;
  const shown = self.shown(name);
  const message = `${service} names the ${words[section]} ${shown} under ${key}:, and ${section}: has none of that name`;
  if (section === 'volumes' && name.includes('/')) {
    return { message, remedy: `For a folder of the server write ../files/${shown}, or a path that begins with /.` };
  }
  const declared = section === 'configs' || section === 'secrets' ? '{ file: ../files/NAME }' : '{}';
  const otherwise =
    section === 'services'
      ? `Remove it from ${key}:, or write the service.`
      : `Declare it, as in ${section}: { ${shown}: ${declared} }.`;
  const others =
    model[section].size > maxCompared ? [] : [...model[section].keys()].filter((other) => other !== service);
  return { message, remedy: didYouMean(name, others, otherwise) };
}

/** The networks that are there although the file does not declare them: the default one, and the platform's own where it sees it. */
function networksGiven(self: CheckedResource, children: readonly CheckedResource[]): ReadonlySet<string> {
  if (self.values.isolatedDeployment === true) return new Set(['default']);
  const isRouted = children.some(({ kind, values }) => kind === 'domain' && values.enabled !== false);
  const services = isRouted ? [] : Object.values(mapOf(unmergedOf(self)?.services));
  const isSeen = (own: Json) =>
    referencesOf(mapOf(own)).some(({ key, name }) => key === 'networks' && name === ofPlatform);
  return new Set(isRouted || services.some(isSeen) ? ['default', ofPlatform] : ['default']);
}

const ofPlatform = 'dokploy-network';

/** Names that the suffix of a compose does not reach, so that docker refuses what the platform writes. */
export function suffixReaches(self: CheckedResource, model: ComposeModel): readonly Problem[] {
  const suffix = serviceSuffix((field) => self.values[field] ?? null);
  const [read, written] = suffix === '' ? [] : [composeYamlOf(self), unmergedOf(self)];
  if (read === undefined || 'unreadable' in read || written === undefined) return [];
  const isStack = self.values.composeType === 'stack';
  const breaks = suffixBreaks(mapOf(read.content as Json), written).filter(({ at: [section, name], is }) => {
    const isIgnored = is.is === 'reference' && isStack && is.section === 'services';
    return !isIgnored && (section !== 'services' || model.services.get(name ?? '')?.isActive !== false);
  });
  const alike = groupBy(
    breaks.map((one) => [`${one.at.slice(0, 2).join('.')} ${one.is.is} ${howOf(one)}`, one] as const),
  );
  return [...alike.values()].flatMap((all): Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    return [inFile(self, { code: 'refused-setting', fails: true, path: first.at, ...explain(all, first, suffix) })];
  });
}

function howOf({ is }: SuffixBreak): string {
  return is.is === 'reference' ? `${is.how} ${is.key}` : '';
}

function explain(
  all: readonly SuffixBreak[],
  { at, is }: SuffixBreak,
  suffix: string,
): Pick<Problem, 'message' | 'remedy'> {
  const [section = '', service = ''] = at;
  if (is.is === 'merged section') {
    const message = `the platform gives the merge key under ${section}: its suffix, as <<${suffix}, and docker refuses that`;
    return { message, remedy: `Write what it brings under ${section}: itself, or leave randomize out.` };
  }
  const names = someOf(
    all.flatMap((one) => (one.is.is === 'reference' ? [one.is.name] : one.is.is === 'member' ? [one.is.key] : [])),
  );
  if (is.is === 'member') {
    const message = `the platform gives ${names} in networks of ${service} the suffix ${suffix}, and docker refuses that`;
    return { message, remedy: 'Remove all but aliases: there, or leave randomize out.' };
  }
  const { key, how } = is;
  if (how === 'no such') {
    const message = `${service} names ${names} under ${key}: with the suffix ${suffix}, and nothing has that name`;
    return { message, remedy: `Remove ${names} from ${key}:, or leave randomize out.` };
  }
  const why = how === 'merged' ? ', which a merge key brings' : '';
  const message = `the platform gives no suffix to ${names} under ${key}: of ${service}${why}, and docker finds nothing of that name`;
  const remedy = how === 'merged' ? `Write ${key}: into ${service} itself.` : 'Leave randomize out.';
  return { message, remedy };
}
