import { describe, expect, it } from 'vitest';
import { readDeployLimits } from '../../src/cli/deploy-limits.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { kinds } from '../../src/resources/index.ts';

const deployed = ['application', 'compose', 'mariadb', 'postgres', 'redis'];
const limits = (...given: string[]) => {
  const limitOf = readDeployLimits(given, kinds);
  return Object.fromEntries(deployed.map((kind) => [kind, limitOf(kind) / 1_000]));
};
const all = (seconds: number) => Object.fromEntries(deployed.map((kind) => [kind, seconds]));

/** What is said about values that cannot be followed. */
const told = (...given: string[]): unknown => {
  try {
    return limits(...given);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const [first] = error.diagnostics;
    return `${error.failure} ${first?.code}: ${first?.message} -> ${first?.remedy}`;
  }
};

describe('the time for a deployment', () => {
  it.each([
    ['is 15 minutes when nobody says otherwise', [], all(900)],
    ['is one for all kinds', ['60'], all(60)],
    ['is another one for a kind', ['application=1800'], { ...all(900), application: 1_800 }],
    ['of a kind counts more, before the general one', ['redis=5', '60'], { ...all(60), redis: 5 }],
    [
      'of a kind counts more, after the general one',
      ['60', 'redis=5', 'compose=7'],
      { ...all(60), redis: 5, compose: 7 },
    ],
    ['is the last one that is said', ['60', 'redis=5', '70', 'redis=6'], { ...all(70), redis: 6 }],
    ['U18: is a duration too', ['15m', 'redis=1h30m'], { ...all(900), redis: 5_400 }],
    ['is a second at least', ['1', 'redis=1'], all(1)],
    ['is a day at most', ['86400', 'redis=86400'], all(86_400)],
  ])('%s', (_what, given, expected) => {
    expect(limits(...given)).toEqual(expected);
  });

  it('is in milliseconds, also for an unknown kind', () => {
    expect(readDeployLimits(['2'], kinds)('anything')).toBe(2_000);
    expect(readDeployLimits([], kinds)('constructor')).toBe(900_000);
  });

  it.each(['0', '86401', '', 'x', '1.5', '-1', '1e3', ' 5', '5 ', '25h', '500ms', '5 m'])('is no %j', (text) => {
    const forms = '1 to 86400 seconds, or a duration as in 30s or 1h30m';
    const range = `must be ${forms}, got ${JSON.stringify(text)} -> undefined`;
    expect(told('60', text)).toBe(`usage usage: --deploy-timeout ${range}`);
    expect(told(`compose=${text}`)).toBe(`usage usage: --deploy-timeout compose ${range}`);
  });

  it.each([
    ['aplication=5', '"aplication"', 'Did you mean application?'],
    ['Redis=5', '"Redis"', 'Did you mean redis?'],
    ['domain=5', '"domain"', 'It takes application, compose, libsql, mariadb, mongo, mysql, postgres, redis.'],
    ['=5', '""', 'It takes application, compose, libsql, mariadb, mongo, mysql, postgres, redis.'],
    [
      'constructor=5',
      '"constructor"',
      'It takes application, compose, libsql, mariadb, mongo, mysql, postgres, redis.',
    ],
  ])('is not for %j', (text, name, remedy) => {
    expect(told(text)).toBe(`usage usage: --deploy-timeout: ${name} is not a kind with deployments -> ${remedy}`);
  });
});
