import { closest } from '../diagnostics/closest.ts';
import { isStageVariable, readStageVariable, stageInVariables } from '../secrets/stage-variables.ts';
import type { Environment, RootPlace } from './folder.ts';
import { refuseTwins, rootFiles, stageOf } from './root-files.ts';

/** What a manifest does not read of the environment of its run. */
interface KeptBack {
  /** The environment that the view is of. */
  readonly whole: Environment;
  /** The names of the variables of all stages. */
  readonly ofStages: readonly string[];
  /** In a run of several root files: the plain secrets, which give no value of a resource and serve notifications. */
  readonly secrets: Environment;
  /** The names without a stage of the variables that the stage has for itself. */
  readonly own: ReadonlySet<string>;
  readonly isOfSeveral: boolean;
  /** Whether the run keeps a plain variable from the stage, set or not. */
  readonly isKeptBack: (name: string) => boolean;
}

const keptBack = new WeakMap<Environment, KeptBack>();

/**
 * The environment as one manifest may read it: variables of other stages are not in it, and those of its own stage stand
 * before the plain ones. Every reader of a variable gets this.
 *
 * @param several a run of several root files: plain secrets are not in it, and TRUEUP_API_KEY only where `hasOnePlatform`
 * @throws {Stop} `usage`, when variables do not say which of two stages they are of
 */
export function stageEnvironment(
  env: Environment,
  { folder, file }: RootPlace,
  several?: { readonly hasOnePlatform: boolean },
): Environment {
  const names = Object.keys(env);
  const all = names.some(isStageVariable) ? rootFiles(folder).map((one) => one.file) : [];
  if (all.includes(file)) refuseTwins(all);
  const own = ownVariables(env, stageOf(file));
  const isKeptBack = (name: string): boolean =>
    several !== undefined &&
    (name.startsWith('TRUEUP_SECRET_') || (name === 'TRUEUP_API_KEY' && !several.hasOnePlatform));
  // An identity of the stage stands before both plain ones.
  const hides = (name: string): boolean =>
    /^TRUEUP_AGE_IDENTITY(?:_FILE)?$/.test(name) && [...own.keys()].some((one) => one.startsWith('TRUEUP_AGE_'));
  const plain = names.filter((name) => !isStageVariable(name) && !isKeptBack(name) && !hides(name));
  const view: Environment = Object.fromEntries([...plain.map((name) => [name, env[name]] as const), ...own]);
  const secrets = names.filter((name) => several !== undefined && name.startsWith('TRUEUP_SECRET_') && !own.has(name));
  keptBack.set(view, {
    whole: env,
    ofStages: names.filter(isStageVariable),
    secrets: Object.fromEntries(secrets.map((name) => [name, env[name]])),
    own: new Set(own.keys()),
    isOfSeveral: several !== undefined,
    isKeptBack,
  });
  return view;
}

/** The variables of a stage by their plain names. One that is empty and limits nothing counts as not set. */
function ownVariables(env: Environment, stage: string | undefined): ReadonlyMap<string, string | undefined> {
  if (stage === undefined) return new Map();
  const found = Object.entries(env).flatMap(([name, value]) => {
    const read = readStageVariable(name);
    if (read?.stage !== stageInVariables(stage)) return [];
    const isLimit = /^TRUEUP_(?:URL|STATE_URL|STATE_KEY)$/.test(read.plain);
    return value === '' && !isLimit ? [] : [[read.plain, value] as const];
  });
  return new Map(found);
}

/** The environment as another manifest of the same run may read it. @throws {Stop} as `stageEnvironment` */
export function environmentOf(other: RootPlace, env: Environment): Environment {
  return stageEnvironment(keptBack.get(env)?.whole ?? env, other);
}

/** The environment for notifications, which are of no stage: with the plain secrets too. */
export function notificationEnvironment(env: Environment): Environment {
  const kept = keptBack.get(env);
  return kept === undefined ? env : { ...kept.secrets, ...env };
}

/** Whether TRUEUP_STATE_URL is for all stages of a run of several. */
export function isStateOfSeveral(env: Environment): boolean {
  return isOfSeveral(env) && keptBack.get(env)?.own.has('TRUEUP_STATE_URL') === false;
}

/** Whether a run of several root files keeps a plain variable from its stages, which read one of their own. */
export function isKeptBack(env: Environment, name: string): boolean {
  return keptBack.get(env)?.isKeptBack(name) === true;
}

/** Whether the environment is that of a stage in a run of several root files. */
export function isOfSeveral(env: Environment): boolean {
  return keptBack.get(env)?.isOfSeveral === true;
}

/** The variables of one secret, by the names that a user writes. */
interface SecretVariables {
  readonly plain: string;
  /** That of the stage; the plain one, where the root file has no name of a stage. */
  readonly ofStage: string;
  /** The one that gives the value; undefined: none does. */
  readonly gives: string | undefined;
  /** One that has a value and that this run does not read. */
  readonly unread: string | undefined;
}

/** How the environment of a root file gives a secret. */
export function secretVariables(env: Environment, file: string, name: string): SecretVariables {
  const plain = `TRUEUP_SECRET_${name}`;
  const stage = stageOf(file);
  const ofStage = stage === undefined ? plain : variableOf(stage, plain);
  const { own, secrets, ofStages, whole } = keptBack.get(env) ?? {};
  const gives = own?.has(plain) === true ? ofStage : plain;
  const isOfAnother = (one: string) =>
    one !== ofStage && readStageVariable(one)?.plain === plain && whole?.[one] !== '';
  const unread = (secrets?.[plain] ?? '') === '' ? ofStages?.find(isOfAnother) : plain;
  return { plain, ofStage, gives: (env[plain] ?? '') === '' ? undefined : gives, unread };
}

/** The name of a variable as a user writes it for a stage in a run of several root files. */
export function variableOf(stage: string, plain: string): string {
  return `TRUEUP__${stageInVariables(stage)}__${plain.replace(/^TRUEUP_/, '')}`;
}

/** The variables of stages that no root file of a folder reads, each with the name that was probably meant. */
export function strayVariables(
  env: Environment,
  folder: string,
): readonly { readonly name: string; readonly guess: string | undefined }[] {
  const stages = rootFiles(folder).flatMap(({ file }) => stageOf(file) ?? []);
  const isKnown = (name: string): boolean => {
    const read = readStageVariable(name);
    return stages.some((stage) => stageInVariables(stage) === read?.stage);
  };
  return (keptBack.get(env)?.ofStages ?? [])
    .filter((name) => !isKnown(name))
    .map((name) => ({
      name,
      guess: closest(
        name,
        stages.flatMap((stage) => possibleNames(name, stage)),
      ),
    }));
}

/** The variables of a stage that a misspelt one may mean: the name of a secret is as it is written. */
function possibleNames(name: string, stage: string): string[] {
  const [, secret] = /SECRET_(.+)$/.exec(name) ?? [];
  const plain = ['API_KEY', 'URL', 'STATE_URL', 'STATE_KEY', 'AGE_IDENTITY', 'AGE_IDENTITY_FILE'];
  return [...plain, ...(secret === undefined ? [] : [`SECRET_${secret}`])].map((one) => variableOf(stage, one));
}
