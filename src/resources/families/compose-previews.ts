import { type Lookup, notKnown } from '../../compose/interpolate.ts';
import { type ComposeModel, readCompose } from '../../compose/model.ts';
import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import type { Json } from '../../formats/json.ts';
import type { CheckedResource, Checks } from '../../kind/checks.ts';
import { composeYamlOf, hasEnvFile, variablesOfBlock } from './compose-model.ts';
import { type Finding, type IsOwn, isBeside, isOff, reachedByFile, reachedByService } from './compose-reach.ts';
import { envOf } from './env-checks.ts';
import { folderFills } from './filled-folders.ts';
import { labelledForOthers, namedForOthers, ofPlatform } from './names-of-others.ts';
import { isBelowOwn, leadsAway } from './own-folder.ts';
import { pathLeaves } from './source-paths.ts';

type Definition = ReturnType<typeof mapOf>;

/**
 * Finds what a compose file shares with other previews or other users of its server: folders, ports and names. A stranger may
 * have written the file, so a value that is not known counts as one of the host.
 */
export const sharedInCompose: NonNullable<Checks['inPreview']> = (self, isOwn, children) => {
  const known = isKnown(isOwn);
  const beside = [...pathLeaves(self, 'composePath'), ...leftBySuffix(self, known)];
  const yaml = self.values.sourceType === 'raw' ? composeYamlOf(self) : undefined;
  if (yaml === undefined) return beside;
  const read = readCompose(yaml, sureVariables(self));
  const found = 'model' in read ? sharedIn(read.model, { self, children, isOwn: known }) : unread(self);
  return [...found.map((finding) => ({ field: 'composeFile', ...finding })), ...beside, ...leftByCommand(self, known)];
};

/** A suffix that the platform writes into the .env file as it stands, and in which it sees the name of a network. */
function leftBySuffix({ values: { suffix, isolatedDeployment } }: CheckedResource, isOwn: IsOwn) {
  const text = String(suffix ?? '');
  const remedy = 'Remove suffix:, or write a variable with ${preview:id} into it.';
  if (!/^[\w.-]*$/.test(text))
    return [{ field: 'suffix', message: 'suffix has more than letters, digits, ".", "_" and "-"', remedy }];
  if (isolatedDeployment !== true || text === '' || isOwn(text)) return [];
  const message = 'suffix names a network of others, which isolatedDeployment brings all services into';
  return [{ field: 'suffix', message, remedy }];
}

/** A command that starts more than this compose, in its project: docker runs whatever it is given. */
function leftByCommand(self: CheckedResource, isOwn: IsOwn) {
  const { command, composeType } = self.values;
  if (isOff(command)) return [];
  const texts = [...[...envOf(self).entries].flat(), String(self.values.env ?? '')];
  // Without -p and -f compose takes the project and the file from its .env, where the platform names them.
  const isLed =
    composeType !== 'stack' &&
    hasEnvFile(self.values) &&
    self.unknown?.includes('env') !== true &&
    !texts.some((text = '') => /COMPOSE_(?!PROFILES)/.test(text));
  const isInside = String(command)
    .trim()
    .replace(/^(?=compose\s)/, 'docker ')
    .split('&&')
    .every((part) => isOfProject(part, isOwn));
  if (isLed && isInside) return [];
  const message = 'command may start or change what is not of this preview';
  const remedy =
    'Write compose up with its options, such as compose up -d --build, or take command out below changes:.';
  return [{ field: 'command', message, remedy }];
}

/** Whether a command is one of docker compose for its own file and project. */
function isOfProject(command: string, isOwn: IsOwn): boolean {
  const words = command
    .trim()
    .replace(/^docker-compose\s/, 'docker compose ')
    .split(/[\s=]+/);
  if (words.shift() !== 'docker' || words.shift() !== 'compose') return false;
  while (words[0]?.startsWith('-') === true) {
    const [option = '', value = ''] = words.splice(0, 2);
    const isFile = /^(?:-f|--file)$/.test(option) && /^(?:\.\/)?docker-compose\.yml$/.test(value);
    const isProject = /^(?:-p|--project-name)$/.test(option) && isOwn(value);
    if (!isFile && !isProject && option !== '--profile') return false;
  }
  const [verb = '', ...rest] = words;
  return /^(?:up|pull|down)$/.test(verb) && rest.every((word) => /^[\w.,:-]+$/.test(word));
}

/** The finding for a file that cannot be read because a part of it is not known. Other checks refuse a file that is all known. */
function unread({ unknown = [] }: CheckedResource): readonly Finding[] {
  if (!unknown.includes('composeFile')) return [];
  const message = 'the compose file of a preview has to be readable without its secrets and references';
  return [{ message, remedy: 'Write the file itself, and each secret or reference as a value in quotes.' }];
}

function isKnown(isOwn: IsOwn): IsOwn {
  return (text) => !text.includes('$') && isOwn(text);
}

/**
 * The variables of a block whose values compose gets for certain as they stand: the files on their way there have quotes,
 * comments and lines, which make other values, or other variables, of them.
 */
function sureVariables(self: CheckedResource): Lookup {
  const { lookup } = variablesOfBlock(self);
  const { entries } = envOf(self);
  const { env } = self.values;
  const mayBreak = [...entries].flat().some((text = '') => /[\r\n\u2028\u2029]|^\s*["'`]/.test(text));
  return (name) => {
    const value = lookup(name);
    const isSure =
      value === undefined
        ? !entries.has(name) && !String(env ?? '').includes(name)
        : typeof value === 'string' && /^[\w.,:;@%+=/~-]+$/.test(value);
    return isSure && !mayBreak ? value : notKnown;
  };
}

/** `isOwn`: a text is known, and has the id of the preview. */
function sharedIn(
  { content, services: extended }: ComposeModel,
  { self, children, isOwn }: { self: CheckedResource; children: readonly CheckedResource[]; isOwn: IsOwn },
): readonly Finding[] {
  const services = Object.entries(mapOf(content.services));
  const whole = new Map([...extended].map(([name, { definition }]) => [name, definition]));
  return [
    ...reachedByFile(content),
    ...services.flatMap(([name, definition]) => [
      ...sharedByService(name, mapOf(definition), isOwn),
      ...reachedByService(name, mapOf(definition), isOwn),
      ...labelledForOthers(name, mapOf(definition)),
    ]),
    ...namedForOthers(self, { services: whole, networks: content.networks, children }, isOwn),
    ...folderFills(content, extended, children),
    ...Object.entries(words).flatMap(([section, word]) =>
      Object.entries(mapOf(content[section])).flatMap(([name, definition]) =>
        sharedByName(`the ${word} ${name}`, { section, name, definition: mapOf(definition) }, isOwn),
      ),
    ),
  ];
}

const words = { volumes: 'volume', networks: 'network', configs: 'config', secrets: 'secret' };

function sharedByService(service: string, { container_name: name, ports, volumes }: Definition, isOwn: IsOwn) {
  const found: Finding[] = [];
  if (name !== undefined)
    found.push({
      message: `the service ${service} has container_name, and each preview would take it`,
      remedy: 'Remove the line.',
    });
  if (itemsOf(ports).some(isPublished))
    found.push({
      message: `the service ${service} publishes a port that each preview would take`,
      remedy: 'Reach it by a domain under domains:, which needs no published port.',
    });
  if (itemsOf(volumes).some((mount) => isOfHost(mount, isOwn)))
    found.push({
      message: `the service ${service} mounts a folder of the host that each preview would share`,
      remedy: 'Use a named volume.',
    });
  return found;
}

function isPublished(port: Json): boolean {
  return typeof port === 'string' ? /[:$]/.test(port) : (mapOf(port).published ?? '') !== '';
}

/** Whether a mount, in either form, has a source on the host. */
function isOfHost(mount: Json, isOwn: IsOwn): boolean {
  if (typeof mount === 'string') {
    const [source = '', ...rest] = mount.split(':');
    // Without a colon it is the path of a volume without a name.
    return source.includes('$') || (rest.length > 0 && /^[./~\\]/.test(source) && !isOwnFolder(source, isOwn));
  }
  const { type = 'volume', source } = mapOf(mount);
  if (!['bind', 'volume', 'tmpfs', 'image'].includes(String(type))) return true;
  const path = String(source ?? '');
  return (
    path.includes('$') || ((type === 'bind' || /[/~\\]/.test(path)) && type !== 'image' && !isOwnFolder(path, isOwn))
  );
}

/** Whether a path of the host is the compose's own, or has the id of the preview. */
function isOwnFolder(path: string, isOwn: IsOwn): boolean {
  if (isBeside(path)) return true;
  return path.startsWith('/') && isOwn(path) && !isBelowOwn(path, isOwn) && !leadsAway(path);
}

/** What a definition beside the services stands for on the server. */
function sharedByName(
  what: string,
  {
    section,
    name: key,
    definition,
  }: { readonly section: string; readonly name: string; readonly definition: Definition },
  isOwn: IsOwn,
): readonly Finding[] {
  const { name, external, file } = definition;
  const isExternal = !isOff(external);
  const taken = isExternal ? (name ?? mapOf(external).name ?? key) : name;
  if (taken !== undefined && !isOwn(String(taken)) && !(section === 'networks' && isExternal && taken === ofPlatform)) {
    const message = `${what} has a name of its own on the server, and each preview would share it`;
    const remedy = isExternal
      ? 'Remove external:, so that each preview gets its own.'
      : 'Remove name:, so that each preview gets its own, or write a variable with ${preview:id} into it.';
    return [{ message, remedy }];
  }
  if (section === 'volumes' && isOnDevice(definition, isOwn)) {
    const message = `${what} is a folder, a device or a share that each preview would use`;
    return [{ message, remedy: 'Remove driver_opts:, so that each preview gets a volume of its own.' }];
  }
  if (section === 'networks' && isOnNetworkOfHost(definition)) {
    const message = `${what} has a driver or options that reach the networks of the host`;
    return [{ message, remedy: 'Remove driver: and driver_opts:.' }];
  }
  if (file === undefined || file === null || isBeside(String(file))) return [];
  const message = `${what} names a file outside of the folder of the compose`;
  return [{ message, remedy: 'Write the file under files:, and name it ../files/NAME.' }];
}

/** Whether the options of a volume lead to a place that is not the preview's own. Docker gives them to mount(2). */
function isOnDevice({ driver = 'local', driver_opts: options }: Definition, isOwn: IsOwn): boolean {
  if (Object.keys(mapOf(options)).length === 0) return false;
  const [type = '', device = '', o = ''] = ['type', 'device', 'o'].map((key) => String(mapOf(options)[key] ?? ''));
  if (driver !== 'local' || `${type}${o}`.includes('$')) return true;
  // With bind the type does not count.
  if (type === 'tmpfs') return o.includes('bind');
  const isMount = /^(?:none|bind|nfs4?|cifs|)$/.test(type) && !/\/|dir=/.test(o);
  const path = device.replace(/^:/, '');
  return !isMount || !path.startsWith('/') || !isOwnFolder(path, isOwn);
}

function isOnNetworkOfHost({ driver, driver_opts: options }: Definition): boolean {
  const isOfHost = !['bridge', 'overlay', ''].includes(String(driver ?? ''));
  return isOfHost || Object.keys(mapOf(options)).some((key) => /^parent$|\.bridge\.name$/.test(key));
}
