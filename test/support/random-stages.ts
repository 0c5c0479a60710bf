/** A value of a generated block; a raw text stands as it is. */
type Value = string | number | boolean | readonly string[] | Raw | Block;
interface Block {
  readonly [key: string]: Value;
}
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const reset = new Raw('!reset');

/** A repository in two forms that mean the same. */
export interface RandomRepository {
  readonly staged: Readonly<Record<string, string>>;
  /** The root file of the staged form. */
  readonly root: string;
  readonly writtenOut: string;
}

/** Makes a repository from its end: each written block is taken apart into a template, the keys beside `use:`, and changes. */
export function createRandom(seed: number): RandomRepository {
  const random = generator(seed);
  const names = ['api', 'admin', 'site', 'mailer', 'jobs', 'search'].slice(0, 1 + random.below(6));
  const blocks = new Map(names.map((name) => [name, application(name, random)]));
  const templates: Record<string, Value> = {};
  const applications: Record<string, Value> = {};
  const changes: Record<string, Value> = {};
  const gone = random.below(3) === 0 ? ['old'] : [];
  for (const name of gone) {
    applications[name] = application(name, random);
    changes[name] = reset;
  }
  for (const [name, block] of blocks) {
    const parts = takenApart(block, random);
    const { template, parameters, given } = withHoles(parts.template, name, random);
    const usesTemplate = Object.keys(template).length > 0;
    if (usesTemplate) templates[`t-${name}`] = { parameters, block: template };
    applications[name] = usesTemplate
      ? { use: `t-${name}`, ...(Object.keys(given).length > 0 ? { with: given } : {}), ...parts.own }
      : parts.own;
    if (Object.keys(parts.changes).length > 0) changes[name] = parts.changes;
  }
  const name = random.of(['staging', 'production']);
  const head = `trueup: 1\nplatform: emulator\n`;
  const inRoot = random.below(2) === 0;
  const apps = `application: ${written(applications)}\n`;
  const single = takenInTwo(server(random), random);
  const all = {
    ...(Object.keys(changes).length > 0 ? { application: changes } : {}),
    ...(single.changes === undefined ? {} : { webServer: single.changes }),
  };
  const changed = Object.keys(all).length > 0 ? `changes: ${written(all)}\n` : '';
  return {
    root: `${name}.yaml`,
    staged: {
      [`${name}.yaml`]: `${head}environment: ${name}\ninclude: [shop.yaml]\n${inRoot ? apps : ''}${changed}`,
      'shop.yaml': `project: prj_1\ninclude: [more/*.yaml]\nwebServer: ${written(single.own)}\n${inRoot ? '' : apps}`,
      'more/templates.yaml': `templates: ${written(templates)}\n`,
    },
    writtenOut: `${head}project: prj_1\n${single.end}environments: ${written({ [name]: { application: Object.fromEntries(blocks) } })}\n`,
  };
}

type Random = ReturnType<typeof generator>;

/** Numbers that a seed decides. */
export function generator(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const below = (count: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % count;
  };
  return { below, of: <T>(all: readonly T[]): T => all[below(all.length)] as T };
}

function application(name: string, random: Random): Block {
  const env = Object.fromEntries(
    ['A', 'B', 'C', 'D'].slice(0, random.below(5)).map((key) => [key, random.of<Value>(['x', '1.10', 8080, true])]),
  );
  const domains = Object.fromEntries(
    ['main', 'more']
      .slice(0, random.below(3))
      .map((key) => [
        key,
        { host: `${key}.${name}.example.com`, port: random.of([80, 3000]), https: random.below(2) === 0 },
      ]),
  );
  const source: Block =
    random.below(3) === 0
      ? { type: 'git', url: 'https://git.example.com/a.git', branch: 'main' }
      : { type: 'docker', image: `acme/${name}:1.27` };
  return {
    source,
    ...(random.below(2) === 0 ? { memoryLimit: random.of(['256Mi', '1Gi']) } : {}),
    ...(random.below(2) === 0 ? { replicas: 1 + random.below(5) } : {}),
    ...(random.below(2) === 0 ? { args: [random.of(['a', 'b']), 'c d'] } : {}),
    env,
    domains,
  };
}

/** A block without a key, which takes no template. */
function server(random: Random): Block {
  return {
    buildsConcurrency: 1 + random.below(5),
    ...(random.below(2) === 0 ? { enableDockerCleanup: random.below(2) === 0 } : {}),
    ...(random.below(2) === 0 ? { logCleanupCron: random.of(['0 1 * * *', '0 2 * * 0']) } : {}),
  };
}

/** A block and its changes, and what comes of both. */
function takenInTwo(block: Block, random: Random): { own: Block; changes: Value | undefined; end: string } {
  if (random.below(6) === 0) return { own: block, changes: reset, end: '' };
  const own: Record<string, Value> = {};
  const changes: Record<string, Value> = {};
  for (const [key, value] of Object.entries(block)) {
    const way = random.below(4);
    own[key] = way < 2 ? value : key === 'logCleanupCron' ? '0 3 * * *' : other(key, value);
    if (way > 1) changes[key] = way === 2 ? value : new Raw(`!reset ${written(value)}`);
  }
  const isChanged = Object.keys(changes).length > 0;
  return { own, changes: isChanged ? changes : undefined, end: `webServer: ${written(block)}\n` };
}

/** Whether a value is a map. */
function isBlock(value: Value | undefined): value is Block {
  return typeof value === 'object' && !(value instanceof Raw) && !Array.isArray(value);
}

/** Three layers that merge to a block. */
function takenApart(block: Block, random: Random, depth = 0): Record<'template' | 'own' | 'changes', Block> {
  const layers: Record<'template' | 'own' | 'changes', Record<string, Value>> = { template: {}, own: {}, changes: {} };
  for (const [key, value] of Object.entries(block)) {
    if (isBlock(value) && key !== 'source') {
      const inner = takenApart(value, random, depth + 1);
      const isSection = key === 'domains' || (depth === 1 && 'host' in value);
      // A section and its blocks have to be there before changes change them.
      const below = isSection ? { ...inner, own: { ...inner.own } } : inner;
      layers.own[key] = below.own;
      if (Object.keys(below.template).length > 0) layers.template[key] = below.template;
      if (Object.keys(below.changes).length > 0) layers.changes[key] = below.changes;
      continue;
    }
    const way = random.below(6);
    if (way === 0) layers.template[key] = value;
    else if (way === 1) {
      layers.template[key] = other(key, value);
      layers.own[key] = value;
    } else if (way === 2) {
      layers.own[key] = other(key, value);
      layers.changes[key] = value;
    } else if (way === 3) {
      layers.template[key] = other(key, value);
      layers.changes[key] = isBlock(value) ? value : new Raw(`!reset ${written(value)}`);
    } else layers.own[key] = value;
  }
  if (depth === 0 && random.below(3) === 0 && block['replicas'] === undefined) {
    layers.template['replicas'] = 9;
    layers.changes['replicas'] = reset;
  }
  return layers;
}

/** Another value of the same key. */
function other(key: string, value: Value): Value {
  if (key === 'source')
    return { type: isBlock(value) && value['type'] === 'git' ? 'docker' : 'git', ...leftovers(value) };
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? (key === 'memoryLimit' ? '2Gi' : `${value}-other`) : ['other', 'more', 'words'];
}

function leftovers(value: Value): Block {
  return isBlock(value) && value['type'] === 'git'
    ? { image: 'other:1' }
    : { url: 'https://b.example.com', branch: 'b' };
}

/** A template with some of its values as parameters, and with the key of its block as a hole. */
function withHoles(
  template: Block,
  name: string,
  random: Random,
): { readonly template: Block; readonly parameters: Block; readonly given: Block } {
  const parameters: Record<string, Value> = {};
  const given: Record<string, Value> = {};
  const types = { string: 'text', number: 'number', boolean: 'boolean' } as const;
  const hole = (key: string, value: Value): Value => {
    if (isBlock(value))
      return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, hole(inner, one)]));
    const isList = Array.isArray(value);
    const type = isList ? 'list' : types[typeof value as keyof typeof types];
    if (value instanceof Raw || type === undefined || key === 'type' || random.below(2) === 0)
      return typeof value === 'string' ? value.replace(`${name}.`, '${block:key}.') : value;
    const parameter = `p${Object.keys(parameters).length}`;
    const isDefault = random.below(2) === 0;
    parameters[parameter] = { type, ...(isDefault ? { default: value } : {}) };
    if (!isDefault) given[parameter] = value;
    const isPart = typeof value === 'string' && value.length > 2 && random.below(3) === 0;
    if (!isPart) return `\${param:${parameter}}`;
    const [start, rest] = [value.slice(0, 2), value.slice(2)];
    if (isDefault) parameters[parameter] = { type, default: rest };
    else given[parameter] = rest;
    return `${start}\${param:${parameter}}`;
  };
  return { template: hole('', template) as Block, parameters, given };
}

/** A value in brackets. */
function written(value: Value): string {
  if (value instanceof Raw) return value.text;
  if (!isBlock(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${written(one)}`)
    .join(', ')} }`;
}
