import { keptIn } from '../api/once.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { matchesGlob } from '../formats/glob.ts';
import type { EnvLimit } from '../manifest/sources/source.ts';
import type { ManifestInput } from '../manifest/manifest.ts';
import { type Workspace, openWorkspace } from '../manifest/workspace.ts';
import { declaredBeside } from './declared-beside.ts';
import type { Environment, ProjectFolder } from './folder.ts';

/**
 * The choices that the environment and the command line make for a run. A manifest cannot make them: it may come from a pull
 * request.
 */
export type Choices = Pick<ProjectFolder, 'env' | 'isPinned' | 'allowsHttp'>;

/**
 * The reason why only the environment chooses the platform and the state of a run; undefined: the manifest may choose them.
 *
 * @throws {Stop} `usage`, when TRUEUP_PINNED is neither true nor false.
 */
export function whyPinned({ env, isPinned }: Choices): string | undefined {
  if (isPinned !== undefined) return isPinned ? '--pinned was given' : undefined;
  const chosen = readSwitch(env, 'TRUEUP_PINNED');
  if (chosen !== undefined) return chosen ? 'TRUEUP_PINNED is set' : undefined;
  return ['', '0', 'false'].includes((env['CI'] ?? '').toLowerCase()) ? undefined : 'CI is set';
}

/**
 * Whether plain http is allowed to hosts other than this machine.
 *
 * @throws {Stop} `usage`, when TRUEUP_ALLOW_HTTP is neither true nor false.
 */
export function mayUseHttp({ env, allowsHttp }: Choices): boolean {
  return allowsHttp ?? readSwitch(env, 'TRUEUP_ALLOW_HTTP') ?? false;
}

/**
 * The value of a variable that chooses a platform, a state or a key; undefined: it is not set. A pipeline passes a variable
 * that it does not have as an empty one, and what was meant as a limit must not become none.
 *
 * @throws {Stop} `refused`, when it is empty.
 */
export function readPin(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined || value.trim() !== '') return value;
  const remedy = `Give ${name} its value: a pipeline passes an unknown variable as an empty one. Or do not set it.`;
  throw stop('refused', 'unpinned', `${name} is set, and empty`, { remedy });
}

/** Opens the folder of a manifest, for what a run may read there. Runs that share something read its files once. */
export function workspaceOf(options: ProjectFolder): Promise<Workspace> {
  const { folder, platforms } = options;
  const allowed = readPatterns(options.env, 'TRUEUP_FILE_ALLOW');
  const once = platforms && keptIn(platforms.files, folder, () => new Map());
  return openWorkspace(folder, { fileLimit: { why: whyPinned(options), allowed }, once });
}

/** How the manifest of a folder is read, by the environment and the command line. */
export function readingOf(options: ProjectFolder): Omit<ManifestInput, 'workspace' | 'secret'> {
  const { file, variables, valueFiles, env, kinds, redactor, preview } = options;
  return {
    file,
    preview,
    kinds,
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    envLimit: envLimit(options),
    platformUrl: env['TRUEUP_URL'] || undefined,
    given: (name) => {
      const text = variables.get(name);
      if (text !== undefined) return { text, by: `--var ${name}` };
      const inEnvironment = env[`TRUEUP_VAR_${name}`];
      return inEnvironment === undefined ? undefined : { text: inEnvironment, by: `TRUEUP_VAR_${name}` };
    },
    valueFiles,
    declaredBeside: declaredBeside(options),
    addSecret: redactor.add,
  };
}

/** Finds by TRUEUP_ENV_ALLOW why a pinned run does not read a variable. It asks whether the run is pinned when a manifest reads one. */
function envLimit(choices: Choices): EnvLimit {
  const patterns = readPatterns(choices.env, 'TRUEUP_ENV_ALLOW');
  return (name) => {
    if (patterns.some((pattern) => matchesGlob(pattern, name))) return undefined;
    const why = whyPinned(choices);
    return why === undefined ? undefined : { why, allowing: [...patterns, name].join(',') };
  };
}

function readPatterns(env: Environment, name: string): readonly string[] {
  return (env[name] ?? '')
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
}

/** Tells how to let the manifest choose. */
export const letManifestChoose = 'To let the manifest choose, give --no-pinned or set TRUEUP_PINNED=false.';

function readSwitch(env: Environment, name: string): boolean | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.toLowerCase() : undefined;
  if (value === undefined) return undefined;
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw usage(`${name} must be true or false, got ${JSON.stringify(value)}`);
}
