import { isObject, type Json } from '../../formats/json.ts';

/** How a program gives secrets: one value, or all of them as lines `NAME=value` or as a JSON object. */
type Prints = 'value' | 'env' | 'json';

/** A program that gives secrets. */
export interface Program {
  /** The program and its arguments; `{name}` stands for the name of the secret where it prints one value. */
  readonly words: readonly string[];
  /** Names of variables that it gets besides the plain ones. */
  readonly passes: readonly string[];
  readonly prints: Prints;
  /** Finds the object with the names in the JSON that it prints; the whole of it when left out. */
  readonly within?: ((printed: Json) => Json | undefined) | undefined;
}

/** A word that stands for the command of a tool. */
interface Preset {
  /** The form of what stands behind the word. */
  readonly form: string;
  readonly about: string;
  /** The parts of the form, in `(…)`. */
  readonly pattern: RegExp;
  readonly passes: readonly string[];
  readonly words: (...parts: readonly string[]) => readonly string[];
  readonly within?: (printed: Json) => Json | undefined;
}

const part = String.raw`([^/\s-][^/\s]*)`;

/** The tools that give all secrets at one start. Each entry only shortens `command`. */
export const presets = {
  infisical: {
    form: 'PROJECT_ID/ENVIRONMENT, or PROJECT_ID/ENVIRONMENT/FOLDER',
    about: 'Secrets of an environment of Infisical, read with infisical export',
    pattern: new RegExp(`^${part}/${part}(/.*)?$`),
    passes: ['INFISICAL_TOKEN', 'INFISICAL_API_URL', 'INFISICAL_DOMAIN'],
    words: (project = '', environment = '', folder = '/') => [
      'infisical',
      'export',
      '--format=json',
      '--silent',
      `--projectId=${project}`,
      `--env=${environment}`,
      `--path=${folder}`,
    ],
    within: (printed) => (Array.isArray(printed) ? pairs(printed, 'key') : printed),
  },
  doppler: {
    form: 'PROJECT/CONFIG',
    about: 'Secrets of a config of Doppler, read with doppler secrets download',
    pattern: new RegExp(`^${part}/${part}$`),
    passes: ['DOPPLER_TOKEN'],
    words: (project = '', config = '') => [
      'doppler',
      'secrets',
      'download',
      '--no-file',
      '--format',
      'json',
      '--project',
      project,
      '--config',
      config,
    ],
    // These three are no secrets, and would be redacted.
    within: (printed) => without(printed, /^DOPPLER_(?:PROJECT|ENVIRONMENT|CONFIG)$/),
  },
  vault: {
    form: 'MOUNT/PATH',
    about: 'Keys of a secret of HashiCorp Vault, read with vault kv get',
    pattern: /^([^/\s-][^\s]*)$/,
    passes: ['VAULT_ADDR', 'VAULT_TOKEN', 'VAULT_NAMESPACE', 'VAULT_CACERT'],
    words: (path = '') => ['vault', 'kv', 'get', '-format=json', path],
    within: keysOfVault,
  },
  openbao: {
    form: 'MOUNT/PATH',
    about: 'Keys of a secret of OpenBao, read with bao kv get',
    pattern: /^([^/\s-][^\s]*)$/,
    passes: ['BAO_ADDR', 'BAO_TOKEN', 'BAO_NAMESPACE', 'BAO_CACERT', 'VAULT_ADDR', 'VAULT_TOKEN'],
    words: (path = '') => ['bao', 'kv', 'get', '-format=json', path],
    within: keysOfVault,
  },
  onepassword: {
    form: 'VAULT/ITEM',
    about: 'Fields of an item of 1Password by their labels, read with op item get',
    pattern: /^([^/-][^/]*)\/([^/-][^/]*)$/,
    passes: ['OP_SERVICE_ACCOUNT_TOKEN', 'OP_CONNECT_HOST', 'OP_CONNECT_TOKEN', 'OP_ACCOUNT'],
    words: (vault = '', item = '') => ['op', 'item', 'get', item, '--vault', vault, '--format', 'json', '--reveal'],
    within: (printed) => (isObject(printed) ? pairs(printed['fields'], 'label') : undefined),
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetWord = keyof typeof presets;

/** The program that a preset stands for; undefined: what stands behind its word has another form. */
export function programOf(word: PresetWord, written: string): Program | undefined {
  const preset: Preset = presets[word];
  const [, ...parts] = preset.pattern.exec(written) ?? [];
  if (parts.length === 0) return undefined;
  return { words: preset.words(...parts), passes: preset.passes, prints: 'json', within: preset.within };
}

/** The secrets in a JSON text: the texts, numbers and booleans of an object. undefined: it is none. */
export function secretsInJson(
  text: string,
  within: Program['within'] = (printed) => printed,
): Map<string, string> | undefined {
  let printed: Json;
  try {
    JSON.parse(text);
    printed = JSON.parse(withNumbersAsTexts(text)) as Json; // JSON.parse gives nothing else
  } catch {
    return undefined;
  }
  const found = within(printed);
  if (!isObject(found)) return undefined;
  const scalars = Object.entries(found).filter(([, value]) => value !== null && typeof value !== 'object');
  return new Map(scalars.map(([name, value]) => [name, String(value)]));
}

/** JSON whose numbers are texts of the same digits: a number of JavaScript loses those of 1.10 and of long ones. */
function withNumbersAsTexts(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g, (part, text?: string) => text ?? `"${part}"`);
}

/** Version 2 of its engine nests them once more. */
function keysOfVault(printed: Json): Json | undefined {
  const data = isObject(printed) ? printed['data'] : undefined;
  return isObject(data) && isObject(data['data']) && isObject(data['metadata']) ? data['data'] : data;
}

/** An object of a list of `{ [key]: NAME, value: … }`. */
function pairs(list: Json | undefined, key: string): Json {
  const entries = (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((item) => {
    const name = isObject(item) ? item[key] : undefined;
    const value = isObject(item) ? item['value'] : undefined;
    return typeof name === 'string' && value !== undefined ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

function without(printed: Json, names: RegExp): Json {
  return isObject(printed)
    ? Object.fromEntries(Object.entries(printed).filter(([name]) => !names.test(name)))
    : printed;
}
