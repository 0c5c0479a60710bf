import type { Document } from 'yaml';
import type { ComposeYaml } from '../formats/compose-yaml.ts';
import { type Json, isObject } from '../formats/json.ts';
import { extendedIn } from './extends.ts';
import { type Lookup, type Refused, type VariableUse, interpolate, isOpen } from './interpolate.ts';
import { referencesOf } from './references.ts';
import {
  type Mount,
  type NamedFile,
  type Published,
  entriesOf,
  itemsOf,
  mapOf,
  mountsOf,
  namesIn,
  publishedBy,
} from './service-parts.ts';

/** A compose file as docker compose reads it: after aliases, merge keys and `extends`, with its variables filled in. */
export interface ComposeModel {
  /** All of the file, with its variables filled in, and without what `extends` brings. */
  readonly content: Definition;
  readonly services: ReadonlyMap<string, ComposeService>;
  /** The services that the command names; none: it starts all. */
  readonly named: readonly string[];
  /** The definitions of named volumes, networks, configs and secrets. */
  readonly volumes: Definitions;
  readonly networks: Definitions;
  readonly configs: Definitions;
  readonly secrets: Definitions;
  /** The files beside the compose file that it cannot be run without. */
  readonly files: readonly NamedFile[];
  /** The uses of variables, as they stand in the text. */
  readonly uses: readonly UseAt[];
  /** What is no variable in values with a `$`. */
  readonly refused: readonly RefusedAt[];
}

/** A service of a compose file. */
export interface ComposeService {
  readonly name: string;
  /** All that it has, with its variables filled in. */
  readonly definition: Definition;
  /** Its image as the text has it; undefined also where a variable names the service that it comes from. */
  readonly imageWritten: string | undefined;
  /** Its image with the variables filled in. */
  readonly image: string | undefined;
  readonly mounts: readonly Mount[];
  readonly published: readonly Published[];
  /** Its variables; null: the value comes from the variables of the compose. */
  readonly environment: ReadonlyMap<string, Json>;
  /** It starts: it has no profile or one that is on. Where the command names services: it is one, or one of them needs it. */
  readonly isActive: boolean;
}

/** Where something stands in the text: keys of maps and indexes of lists. */
type Path = readonly (string | number)[];

/** A use of a variable, and where it stands. */
export interface UseAt extends VariableUse {
  readonly at: Path;
  /** The whole text there, with the variables filled in that have a value. */
  readonly text: string;
}

/** A `$…` that is no variable, and where it stands. */
interface RefusedAt extends Refused {
  readonly at: Path;
}

type Definition = ReturnType<typeof mapOf>;
type Definitions = ReadonlyMap<string, Definition>;

/** Why a text is no compose file: its YAML, or what it holds. */
export type NoCompose =
  | { readonly is: 'no yaml'; readonly document: Document.Parsed }
  | { readonly is: 'no map' | 'no services' | 'no service'; readonly content: Json; readonly at: Path };

/** Makes a compose file of the content of its text, as the `command` for it starts it. Never throws. */
export function readCompose(
  read: ComposeYaml,
  lookup: Lookup,
  command = '',
): { model: ComposeModel } | { problem: NoCompose } {
  if ('unreadable' in read) return { problem: { is: 'no yaml', document: read.unreadable } };
  const content = read.content as Json; // YAML without tags holds nothing else
  const problem = problemOf(content);
  return problem === undefined ? { model: modelOf(mapOf(content), lookup, command) } : { problem };
}

function problemOf(content: Json): NoCompose | undefined {
  if (!isObject(content)) return { is: 'no map', content, at: [] };
  const { services } = content;
  if (services === undefined && content.include !== undefined) return undefined;
  if (!isObject(services)) return { is: 'no services', content, at: services === undefined ? [] : ['services'] };
  const wrong = Object.entries(services).find(([, definition]) => !isObject(definition));
  if (wrong === undefined) return undefined;
  const [name, definition] = wrong;
  return { is: 'no service', content: definition ?? null, at: ['services', name] };
}

function modelOf(content: Definition, lookup: Lookup, command: string): ComposeModel {
  const uses: UseAt[] = [];
  const refused: RefusedAt[] = [];
  const whole = mapOf(filled(content, [], { lookup, uses, refused }));
  const definitions = mapOf(whole.services);
  const services = new Map<string, ComposeService>();
  const own = extendedIn(definitions);
  const unfilled = whole === content ? own : extendedIn(mapOf(content.services));
  const named = namedIn(command).filter((name) => own.has(name));
  const started = startedOf(own, named, { lookup, command });
  for (const [name, definition] of own) {
    const written = unfilled.get(name)?.image;
    services.set(name, {
      name,
      definition,
      imageWritten: typeof written === 'string' ? written : undefined,
      image: typeof definition.image === 'string' ? definition.image : undefined,
      mounts: mountsOf(definition),
      published: publishedBy(definition),
      environment: entriesOf(definition.environment),
      isActive: started.has(name),
    });
  }
  for (const { name, environment } of services.values()) {
    for (const [key, value] of environment) {
      if (value === null) uses.push({ name: key, operator: '-', at: ['services', name, 'environment', key], text: '' });
    }
  }
  return {
    content: whole,
    services,
    named,
    volumes: definitionsOf(whole.volumes),
    networks: definitionsOf(whole.networks),
    configs: definitionsOf(whole.configs),
    secrets: definitionsOf(whole.secrets),
    files: filesOf(whole, services),
    uses,
    refused,
  };
}

/**
 * The services that start. Profiles are on by COMPOSE_PROFILES, which a command with `--profile` replaces; `*` stands for all.
 * A service that the command names turns its own on, and only what is named starts, with what that needs.
 * Source: compose-go, WithDefaultProfiles, WithServicesEnabled and WithSelectedServices.
 */
function startedOf(
  services: ReadonlyMap<string, Definition>,
  named: readonly string[],
  { lookup, command }: { readonly lookup: Lookup; readonly command: string },
): ReadonlySet<string> {
  const flags = [...command.matchAll(/--profile(?:=|\s+)(\S+)/g)].map(([, name = '']) => name);
  const given = flags.length === 0 ? lookup('COMPOSE_PROFILES') : flags.join(',');
  const profilesOf = (name: string) => itemsOf(services.get(name)?.profiles).map(String);
  const on = new Set([
    ...(typeof given === 'string' ? given.split(',').map((name) => name.trim()) : []),
    ...named.flatMap(profilesOf),
  ]);
  const isAny = (given !== undefined && typeof given !== 'string') || on.has('*');
  // One that is not known may be any that is on.
  const isOn = (profiles: readonly string[]) =>
    profiles.length === 0 || isAny || profiles.some((one) => on.has(one) || (on.size > 0 && isOpen(one)));
  const enabled = new Set([...services.keys()].filter((name) => isOn(profilesOf(name))));
  if (named.length === 0) return enabled;
  const started = new Set(named);
  for (const name of started) {
    for (const { section, name: needed } of referencesOf(services.get(name) ?? {}))
      if (section === 'services' && enabled.has(needed)) started.add(needed); // the loop comes to it
  }
  return started;
}

/** The words of a command that may name services for it to start. */
function namedIn(command: string): readonly string[] {
  return command.split('&&').flatMap((part) => {
    const words = part.trim().split(/\s+/);
    const up = words.indexOf('up');
    return up === -1 ? [] : words.filter((_, index) => index > up && !takesService.test(words[index - 1] ?? ''));
  });
}

/** Options of `up` with the name of a service behind them. */
const takesService = /^--(?:no-)?attach$|^--exit-code-from$/;

function definitionsOf(value: Json | undefined): Definitions {
  return new Map(Object.entries(mapOf(value)).map(([name, definition]) => [name, mapOf(definition)]));
}

/**
 * A value with the variables in all its texts filled in; keys of maps stay, and so does what has no variables: most of a file.
 * `at` leads to it, and is the same again afterwards.
 */
function filled(
  value: Json | undefined,
  at: (string | number)[],
  into: {
    readonly lookup: Lookup;
    readonly uses: UseAt[];
    readonly refused: RefusedAt[];
  },
): Json {
  if (typeof value === 'string') {
    if (!value.includes('$')) return value;
    const { text, uses, refused } = interpolate(value, into.lookup);
    const here = [...at]; // one array for all in this text: checks look it up by that
    into.uses.push(...uses.map((use) => ({ ...use, at: here, text })));
    into.refused.push(...refused.map((one) => ({ ...one, at: here })));
    return text;
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  const changed: [string, Json][] = [];
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    at.push(isList ? Number(key) : key);
    const found = filled(item, at, into);
    if (found !== item) changed.push([key, found]);
    at.pop();
  }
  if (changed.length === 0) return value;
  return isList
    ? Object.assign([...value], Object.fromEntries(changed))
    : Object.fromEntries([...Object.entries(value), ...changed]);
}

/** The files that the services which start, and what they use, take from the folder of the compose file. */
function filesOf(whole: Definition, services: ReadonlyMap<string, ComposeService>): readonly NamedFile[] {
  const active = [...services.values()].filter(({ isActive }) => isActive);
  const used = (section: 'configs' | 'secrets') =>
    new Set(
      active.flatMap(({ definition }) =>
        itemsOf(definition[section]).map((item) => (typeof item === 'string' ? item : String(mapOf(item).source))),
      ),
    );
  const inSection = (section: 'configs' | 'secrets') => {
    const names = used(section);
    return Object.entries(mapOf(whole[section])).flatMap(([name, definition]) =>
      names.has(name) ? namesIn(mapOf(definition).file, [section, name, 'file'], section) : [],
    );
  };
  const ofServices = active.flatMap(({ name, definition }) => {
    const at = ['services', name];
    const parent = mapOf(mapOf(definition).extends).file;
    return [
      ...namesIn(contextOf(definition.build), [...at, 'build'], 'build'),
      ...namesIn(definition.env_file, [...at, 'env_file'], 'env_file'),
      ...namesIn(parent, [...at, 'extends'], 'extends'),
    ];
  });
  return [
    ...namesIn(whole.include, ['include'], 'include'),
    ...ofServices,
    ...inSection('configs'),
    ...inSection('secrets'),
  ];
}

/** The folder that an image is built in; undefined for none, and for one whose Dockerfile the text itself holds. */
function contextOf(build: Json | undefined): Json | undefined {
  if (build === undefined || build === null || typeof build === 'string') return build ?? undefined;
  const { context = '.', dockerfile_inline: inline } = mapOf(build);
  return inline === undefined ? context : undefined;
}
