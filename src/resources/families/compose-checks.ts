import { type Document, type YAMLError, isAlias, isCollection, isScalar, visit } from 'yaml';
import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import type { ComposeModel, ComposeService, NoCompose } from '../../compose/model.ts';
import { closest } from '../../diagnostics/closest.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { CheckedResource, Problem, PublishedPort } from '../../kind/checks.ts';
import { type Json, isObject } from '../../formats/json.ts';
import { envWorks } from './env-checks.ts';
import { filesExist } from './compose-files.ts';
import { commandOf } from './compose-data.ts';
import { fitsCompose } from './compose-misfits.ts';
import { networksJoin } from './compose-networks.ts';
import { filesOf } from './compose-reach.ts';
import { composeOf, contentOf, inFile } from './compose-model.ts';
import { routesStart, startsNothing } from './compose-profiles.ts';
import { unkeptData } from './data-folder.ts';
import { namesHold, needsBeforehand, servicesStart, suffixReaches } from './compose-references.ts';
import { routesWork, settingsWork, staysAsWritten } from './compose-settings.ts';
import { worksInStack } from './compose-stack.ts';
import { variablesFit } from './compose-use.ts';

/** What compose and the platform make of a compose file that the platform holds itself, and of the blocks below it. */
export function composeWorks(self: CheckedResource, children: readonly CheckedResource[]): readonly Problem[] {
  const { composeFile, sourceType } = self.values;
  const settings = [...settingsWork(self), ...envWorks(self)];
  const read = composeOf(self);
  if (sourceType !== 'raw' || typeof composeFile !== 'string' || read === undefined)
    return [...settings, ...networksJoin(self)];
  if ('problem' in read) return [...settings, noCompose(self, composeFile, read.problem)];
  const { model } = read;
  const nothing = startsNothing(self, model);
  const variables = variablesFit(self, model);
  if (nothing.length > 0) return [...settings, ...servicesExist(self, children, model), ...variables, ...nothing];
  return [
    ...settings,
    ...servicesExist(self, children, model),
    ...filesExist(self, children, model),
    ...[...model.services.values()].flatMap((service) => (service.isActive ? dataGoes(self, service) : [])),
    ...variables,
    ...fitsCompose(self, model, variables),
    ...staysAsWritten(self, composeFile),
    ...worksInStack(self, model),
    ...servicesStart(self, model),
    ...needsBeforehand(self, model),
    ...namesHold(self, children, model),
    ...suffixReaches(self, model),
    ...networksJoin(self, model),
    ...routesWork(self, children, model),
    ...routesStart(self, children, model),
  ];
}

/** Notes once which compose files nothing was checked in: those of repositories. */
export function filesUnread(all: readonly CheckedResource[]): readonly Problem[] {
  const unread = all.filter(({ values: { sourceType } }) => typeof sourceType === 'string' && sourceType !== 'raw');
  const [first] = unread;
  if (first === undefined) return [];
  const names = someOf(unread.map(({ address }) => address));
  const [files, them] = unread.length === 1 ? ['compose file', 'it'] : ['compose files', 'them'];
  const message = `Trueup does not read the ${files} of ${names} in the repository, and checks nothing in ${them}`;
  const remedy = `Check ${them} there, with docker compose config.`;
  return [{ code: 'unread-file', address: first.address, field: 'sourceType', message, remedy }];
}

/** Warns of a service whose data go with its container, although it mounts a volume. */
function dataGoes(self: CheckedResource, service: ComposeService): readonly Problem[] {
  const { name, image = '', mounts, environment, definition } = service;
  const unread = { files: filesOf(definition).files, besides: new Set(environment.keys()) };
  const container = { image, mounts, environment, command: commandOf(service), unread };
  return unkeptData(name, container, self.shown).map((problem) =>
    inFile(self, { ...problem, path: ['services', name, 'volumes'] }),
  );
}

/** A block that names a service of the compose file needs one that exists: the deployment would fail. */
function servicesExist(
  self: CheckedResource,
  children: readonly CheckedResource[],
  model: ComposeModel,
): readonly Problem[] {
  // What an included file has is not known.
  if (model.files.some(({ is }) => is === 'include')) return [];
  const names = [...model.services.keys()];
  const remedy = names.length === 0 ? 'It has no services at all.' : `Its services are ${someOf(names)}.`;
  return children.flatMap((child): Problem[] => {
    const name = child.values.serviceName;
    if (typeof name !== 'string' || model.services.has(name)) return [];
    return [
      {
        code: 'inconsistent',
        address: child.address,
        field: 'serviceName',
        message: `the compose file of ${self.key} has no service ${child.shown(name)}`,
        remedy,
      },
    ];
  });
}

function noCompose(self: CheckedResource, text: string, problem: NoCompose): Problem {
  if (problem.is === 'no yaml') {
    const about = { code: 'inconsistent', address: self.address, field: 'composeFile' } as const;
    const error = unreadable(text, problem.document);
    if (typeof error === 'string') {
      return { ...about, message: error, remedy: 'Correct the compose file: its deployment would fail.' };
    }
    const message = `the compose file ${error.code === 'RESOURCE_EXHAUSTION' ? 'cannot be read' : 'is not valid YAML'}`;
    return { ...about, message, syntax: { text, error } };
  }
  const { content, at } = problem;
  const about = { code: 'not-compose', fails: true, path: at } as const;
  if (problem.is === 'no service') {
    const message = `${self.shown(at.join('.'))} must be a map, such as { image: nginx }`;
    return inFile(self, { ...about, message, remedy: 'Write what the service is made of, indented below its name.' });
  }
  return inFile(self, {
    ...about,
    message: 'a compose file must be a map with services:',
    remedy: instead(self, text, content),
  });
}

/** What to write in place of a text that is no compose file. */
function instead({ shown }: CheckedResource, text: string, content: Json): string {
  if (text.startsWith('version https://git-lfs')) return 'The file is a pointer of Git LFS: run git lfs pull.';
  if (/^\S+\.ya?ml\s*$/.test(text)) return `Did you mean \${file:${shown(text.trim()).replace(/^\.\//, '')}}?`;
  const key = closest('services', Object.keys(mapOf(content)));
  return key === undefined || key === 'services'
    ? 'Write services: { NAME: { image: … } }, or ${file:…} with the path of the file.'
    : `Did you mean services: in place of ${key}:?`;
}

/** The ports of its container that a service of a compose names, published or exposed; none where they are not known. */
export function portsOfService(self: CheckedResource, service: string): readonly number[] {
  const read = self.kind === 'compose' && self.values.sourceType === 'raw' ? composeOf(self) : undefined;
  const definition = read !== undefined && 'model' in read ? read.model.services.get(service)?.definition : undefined;
  if (definition === undefined) return [];
  const written = [...itemsOf(definition.ports), ...itemsOf(definition.expose)].map((item) =>
    isObject(item) ? mapOf(item).target : /(?:^|:)(\d+)(?:\/tcp)?$/.exec(String(item))?.[1],
  );
  return [...new Set(written.map(Number))].filter((port) => Number.isInteger(port) && port > 0);
}

/** The ports of its server that the services of a compose file publish. */
export function portsPublished(self: CheckedResource): readonly PublishedPort[] {
  const read = self.values.sourceType === 'raw' ? composeOf(self) : undefined;
  if (read === undefined || !('model' in read)) return [];
  const server = self.unknown?.includes('serverId') === true ? self.address : (self.values.serverId ?? null);
  const isStack = self.values.composeType === 'stack';
  return [...read.model.services.values()].flatMap(({ name, published, isActive, definition }) =>
    // In the network of the host nothing is published; a stack ignores network_mode and addresses.
    (isActive && (isStack || definition.network_mode !== 'host') ? published : []).flatMap(
      ({ first, last, protocol, hostIp, index }) =>
        Array.from({ length: Math.min(last - first + 1, maxPorts) }, (_, offset) => ({
          field: 'composeFile',
          port: first + offset,
          protocol,
          server,
          hostIp: isStack || hostIp === '0.0.0.0' || hostIp === '::' ? undefined : hostIp,
          service: `${self.address} ${name}`,
          path: ['services', name, 'ports', index],
        })),
    ),
  );
}

/** Most ports of a range that are compared. */
const maxPorts = 1000;

/** The services of a compose file, each with its image as it is written: `web (nginx:1.27)`; none when it cannot be read. */
export function servicesWithImages(text: unknown): readonly string[] {
  const found = contentOf(text);
  if (found === undefined) return [];
  return Object.entries(mapOf(found.services)).map(([name, definition]) => {
    const { image } = mapOf(definition);
    return typeof image === 'string' ? `${name} (${image})` : name;
  });
}

/** Why a text cannot be read. */
function unreadable(text: string, document: Document.Parsed): string | YAMLError {
  const [error] = document.errors;
  if (error !== undefined) return error;
  const line = lineOfOpenAlias(text, document);
  const open = `a value that begins with * is an alias, and no anchor stands before that in line ${line} of the compose file`;
  return line === undefined ? 'the aliases of the compose file expand to too much' : open;
}

/** The line of the first alias that has no anchor before it; undefined: each has one. */
function lineOfOpenAlias(text: string, document: Document.Parsed): number | undefined {
  const anchors = new Set<string>();
  let from: number | undefined;
  visit(document, (_key, node) => {
    if (isAlias(node) && !anchors.has(node.source)) {
      from = node.range?.[0] ?? 0;
      return visit.BREAK;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.add(node.anchor);
    return undefined;
  });
  return from === undefined ? undefined : text.slice(0, from).split('\n').length;
}
