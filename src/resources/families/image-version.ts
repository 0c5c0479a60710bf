import type { Loss } from '../../kind/lifecycle.ts';
import { type StatefulImage, readImage, statefulImage } from './stateful-images.ts';

/** Why data may not suit an image; `unnamed`: without the images. */
export type Reason = Required<Pick<Loss, 'what' | 'unnamed'>>;

/** Data at risk for a reason. */
export function because(data: string, reason: Reason | undefined): Reason | undefined {
  if (reason === undefined) return undefined;
  return { what: `${data}, because ${reason.what}`, unnamed: `${data}, because ${reason.unnamed}` };
}

/** The same as `versionRisk` of any image; undefined for one that is not known to keep data. */
export function databaseRisk(before: string, after: string): Reason | undefined {
  const family = statefulImage(readImage(before));
  return family === undefined || before === after ? undefined : versionRisk(before, after, family);
}

/**
 * Says why the data that one image wrote may not suit another: another major version, an older version, or a version that
 * the tag does not tell. undefined when it suits.
 */
export function versionRisk(before: string, after: string, family: StatefulImage): Reason | undefined {
  const [old, fresh] = [readImage(before), readImage(after)];
  const [from, to] = [old.version, fresh.version];
  if (family.isReadBy?.(old, fresh) === true) return undefined;
  const notKnown = {
    what: `it is not known whether ${after} can read what ${before} wrote`,
    unnamed: 'it is not known whether the new image can read what the old one wrote',
  };
  const isFamily = old.name === fresh.name || [old, fresh].every(({ name }) => family.names.test(name));
  if (from === undefined || to === undefined || !isFamily) return notKnown;
  const count = Math.max(from.length, to.length);
  const at = Array.from({ length: count }, (_, index) => index).find((index) => from[index] !== to[index]) ?? count;
  const isMajor = at < Math.max(family.major(from), family.major(to));
  const [was, is] = [from[at], to[at]];
  if (was === undefined || is === undefined) return isMajor && at < count ? notKnown : undefined;
  const needs = `(${family.called} ${is < was ? 'does not read what a newer version wrote' : family.upgrade})`;
  if (isMajor)
    return {
      what: `${after} is another major version than ${before} ${needs}`,
      unnamed: `the image is another major version ${needs}`,
    };
  if (family.isTooFar?.(from, to) === true)
    return {
      what: `${after} is more than one step after ${before} ${needs}`,
      unnamed: `the image is more than one step ahead ${needs}`,
    };
  return is < was ? { what: `${after} is older than ${before}`, unnamed: 'the image is older' } : undefined;
}
