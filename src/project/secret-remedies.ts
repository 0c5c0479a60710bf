import { closest } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Offer } from '../manifest/ask-sources.ts';
import type { HowToGive, Manifest } from '../manifest/manifest.ts';
import { usedSecrets } from '../manifest/needed-secrets.ts';
import type { Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { namesOf } from '../secrets/generate-secret.ts';
import { type ProjectFolder, fileOption } from './folder.ts';
import { isOfSeveral, secretVariables } from './stage-environment.ts';

type Place = Pick<ProjectFolder, 'env' | 'file'>;

/** Most names of a remedy. */
const maxNames = 3;

/**
 * The remedy for secrets that a run does not have, where the root file has a sealed file, where the run is one of several, or
 * where a variable that it does not read has the value. `sealed`: the names of sources, each with its file.
 */
export function howToGiveIn(
  { env, file }: Place,
  { secrets, generated }: Pick<Settings, 'secrets' | 'generated'>,
  sealed: ReadonlyMap<string, string>,
): HowToGive {
  const isSealed = secrets.some(({ is }) => is === 'sealed');
  return (names) => {
    const variables = names.map((name) => secretVariables(env, file, name));
    const elsewhere = variables.filter(({ unread }) => unread !== undefined);
    if (!isSealed && elsewhere.length === 0 && !isOfSeveral(env)) return undefined;
    const near = isSealed ? names.flatMap((name) => nearName(name, sealed)) : [];
    const others = variables.filter((one) => !elsewhere.includes(one)).map((one) => ofRun(one, env));
    const sources = `or name a source under secrets: that has ${names.length === 1 ? 'it' : 'them'}`;
    const run = near.length > 0 ? 'Else run' : elsewhere.length > 0 ? 'Or run' : 'Run';
    return [
      ...near,
      ...(elsewhere.length === 0 ? [] : [`Set ${someOf(ofStages(elsewhere), maxNames)}: ${whyUnread(elsewhere)}.`]),
      ...(isSealed ? [`${run} ${howToSeal(names, { file }, generated)}.`] : []),
      ...(!isSealed && others.length > 0 ? [`Set ${someOf(others, maxNames)}, ${sources}.`] : []),
    ].join(' ');
  };
}

type Variables = ReturnType<typeof secretVariables>;

/** The variable that a user sets to give this run a secret. */
export function variableIn({ env, file }: Place, name: string): string {
  return ofRun(secretVariables(env, file, name), env);
}

function ofRun({ plain, ofStage }: Variables, env: Place['env']): string {
  return isOfSeveral(env) ? ofStage : plain;
}

function ofStages(variables: readonly Variables[]): string[] {
  return variables.map(({ ofStage }) => ofStage);
}

function whyUnread(variables: readonly Variables[]): string {
  const plain = variables.flatMap((one) => (one.unread === one.plain ? [one.plain] : []));
  const others = variables.flatMap(({ unread, plain: own }) =>
    unread === undefined || unread === own ? [] : [unread],
  );
  return [
    ...(plain.length === 0 ? [] : [`a run of several root files does not read ${someOf(plain, maxNames)}`]),
    ...(others.length === 0
      ? []
      : [`${someOf(others, maxNames)} ${others.length === 1 ? 'is of another stage' : 'are of other stages'}`]),
  ].join('; ');
}

function nearName(name: string, sealed: ReadonlyMap<string, string>): string[] {
  const guess = closest(name, [...sealed.keys()]);
  return guess === undefined ? [] : [`Did you mean ${guess}? ${sealed.get(guess) ?? ''} has it.`];
}

/** The commands that give a sealed file values of these names. */
function howToSeal(names: readonly string[], place: Pick<Place, 'file'>, generated: Settings['generated']): string {
  const recipes = new Set([...generated].flatMap(([name, recipe]) => namesOf(name, recipe)));
  const rest = names.filter((name) => !recipes.has(name));
  const [first = ''] = rest;
  const set = `trueup secret set ${rest.length === 1 ? first : 'NAME'}${fileOption(place)}`;
  const generate = `trueup secret generate${fileOption(place)}`;
  if (rest.length === 0) return generate;
  const each = rest.length === 1 ? set : `${set} for each`;
  if (rest.length === names.length) return each;
  return `${generate} for ${names.length - rest.length} of them, and ${each}${rest.length === 1 ? '' : ' other one'}`;
}

/**
 * The warning about plain variables that stand before a source of the root file: they may be those of another stage. One for
 * the stage says that it is meant. Manifests that name no stage may override a file in clear by the environment, as ever.
 */
export function overridden(
  { env, file }: Place,
  manifest: Manifest,
  offers: ReadonlyMap<string, Offer>,
): readonly Diagnostic[] {
  const { environment } = manifest.settings;
  const found = usedSecrets(manifest).flatMap((name) => {
    const offer = offers.get(name);
    const variables = secretVariables(env, file, name);
    if (offer === undefined || variables.gives !== variables.plain) return [];
    return environment === undefined && offer.source.is !== 'sealed' ? [] : [{ offer, ...variables }];
  });
  const [first] = found;
  if (first === undefined) return [];
  const [verb, them] = found.length === 1 ? ['stands', 'it'] : ['stand', 'them'];
  const files = someOf([...new Set(found.map(({ offer }) => offer.by))]);
  const message = `${someOf(found.map(({ plain }) => plain))} of the environment ${verb} before ${files}, which has ${them} too`;
  const isMeant =
    first.ofStage === first.plain ? '' : ` If this stage means ${them}, set ${someOf(ofStages(found))} instead.`;
  const opens = env['TRUEUP_AGE_IDENTITY'] ?? env['TRUEUP_AGE_IDENTITY_FILE'];
  const how = first.offer.source.is === 'sealed' && opens === undefined ? ' and set TRUEUP_AGE_IDENTITY' : '';
  const remedy = `Unset ${them}${how} to use what ${files} has.${isMeant}`;
  return [diagnostic('overridden-secret', message, { remedy, position: position(first.offer.source.at) })];
}
