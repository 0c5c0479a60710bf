import type { Loss } from '../../kind/lifecycle.ts';

/** Names of images of one database, and how many numbers of a version decide whether it reads the data of another. */
export interface ImageFamily {
  /** Matches the last part of the name, without registry and tag, and not that of a tool for the database. */
  readonly names: RegExp;
  readonly major: (version: readonly number[]) => number;
}

/** The databases that Trueup knows by their images. */
export const imageFamilies = {
  postgres: {
    names: /^(postgres|postgresql|postgis|pgvector|pgvecto-rs|timescaledb|timescaledb-ha)$/,
    // Up to 9.6 two numbers were one major version.
    major: ([first = 0]) => (first < 10 ? 2 : 1),
  },
  mariadb: { names: /^(mariadb|mariadb-galera)$/, major: () => 2 },
  mysql: { names: /^(mysql|mysql-server)$/, major: () => 2 },
  mongo: { names: /^(mongo|mongodb|mongodb-community-server)$/, major: () => 2 },
  // Of 0.24.32 the second number is the major one.
  libsql: { names: /^(libsql-server|sqld)$/, major: ([first = 0]) => (first === 0 ? 2 : 1) },
  redis: { names: /^(redis|redis-stack|redis-stack-server)$/, major: () => 1 },
} as const satisfies Record<string, ImageFamily>;

/** Why data may not suit an image; `unnamed`: without the images. */
type Reason = Required<Omit<Loss, 'of'>>;

/** Data at risk for a reason. */
export function because(data: string, reason: Reason | undefined): Reason | undefined {
  if (reason === undefined) return undefined;
  return { what: `${data}, because ${reason.what}`, unnamed: `${data}, because ${reason.unnamed}` };
}

/** The same as `versionRisk` of any image; undefined for an image of no database. */
export function databaseRisk(before: string, after: string): Reason | undefined {
  const { name } = readImage(before);
  const family = Object.values<ImageFamily>(imageFamilies).find(({ names }) => names.test(name));
  return family === undefined || before === after ? undefined : versionRisk(before, after, family);
}

/**
 * Says why the data that one image of a database wrote may not suit another: another major version, an older version, or
 * a version that the tag does not tell. undefined when it suits.
 */
export function versionRisk(before: string, after: string, family: ImageFamily): Reason | undefined {
  const [old, fresh] = [readImage(before), readImage(after)];
  const [from, to] = [old.version, fresh.version];
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
  if (isMajor)
    return { what: `${after} is another major version than ${before}`, unnamed: 'the image is another major version' };
  return is < was ? { what: `${after} is older than ${before}`, unnamed: 'the image is older' } : undefined;
}

/** Reads `registry:5000/team/postgres:15.4-alpine@sha256:…`. */
function readImage(text: string): { readonly name: string; readonly version: readonly number[] | undefined } {
  const [reference = ''] = text.split('@');
  const [name = '', tag = ''] = reference.slice(reference.lastIndexOf('/') + 1).split(':');
  // A name such as postgresql-16 holds the version; the tag is then that of the build.
  const version = /-\d/.test(name) ? undefined : versionIn(tag);
  return { name, version };
}

/** The numbers of `15.4` in `15.4`, `v15.4-alpine`, `pg15.4` and `2.14.2-pg15.4`; undefined where a tag has none. */
function versionIn(tag: string): readonly number[] | undefined {
  const named = /(?:^|[-_.])pg-?(\d+(?:\.\d+)*)/i.exec(tag);
  const leading = /^v?(\d+(?:\.\d+)*)(?=$|[-_+]|(?:alpha|beta|rc)\d)/i.exec(tag);
  return (named ?? leading)?.[1]?.split('.').map(Number);
}
