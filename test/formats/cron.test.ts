import { expect, test } from 'vitest';
import { cronProblem } from '../../src/formats/cron.ts';

/** Which cron expressions the platform runs. Each line was compared with what cron-parser 4.9 does. */

test.each([
  '0 3 * * *',
  '*/5 * * * *',
  '5/15 * * * *',
  '0-30/10 8-18 * * 1-5',
  '0 0 1 1 0',
  '0 3 * * 7',
  '0 3 * * mon',
  '0 3 * JAN-MAR SUN,Wed',
  '0 3 1,15 * *',
  '0 3 L * *',
  '0 3 15,L * *',
  '0 3 ? * 5L',
  '0 3 * * FRIL',
  '0 3 * * MON#1',
  '0 3 29 2 *',
  '0 3 30,28 2 *',
  '0 3 31 * *',
  '30 0 3 * * *',
  '0  3 * * *',
  '@hourly',
  '@daily',
  '@weekly',
  '@monthly',
  '@yearly',
])('%s is good', (expression) => {
  expect(cronProblem(expression)).toBeUndefined();
});

test.each([
  ['0 25 * * *', 'hour must be 0 to 23, got 25'],
  ['60 * * * *', 'minute must be 0 to 59, got 60'],
  ['61 0 3 * * *', 'second must be 0 to 59, got 61'],
  ['0 3 0 * *', 'day must be 1 to 31, got 0'],
  ['0 3 32 * *', 'day must be 1 to 31, got 32'],
  ['0 3 * 13 *', 'month must be 1 to 12 or JAN to DEC, got 13'],
  ['0 3 * * 9', 'weekday must be 0 to 7 or SUN to SAT, got 9'],
  ['0 3 * * MOO', 'weekday must be 0 to 7 or SUN to SAT, got "MOO"'],
  ['0 3 * * L', 'weekday must be 0 to 7 or SUN to SAT, got "L"'],
  ['0 3 * * MON#6', 'weekday must be 0 to 7 or SUN to SAT, got "MON#6"'],
  ['0 3 * * MON#1,FRI', 'weekday with # must stand alone, got "MON#1,FRI"'],
  ['0 3 15W * *', 'day must be 1 to 31, got "15W"'],
  ['0 3 30 2 *', 'day must be 1 to 29 in month 2, got 30'],
  ['0 3 31 APR *', 'day must be 1 to 30 in month APR, got 31'],
  ['0 22-2 * * *', 'hour must be a range that rises, got "22-2"'],
  ['0 3 * * FRI-SUN', 'weekday must be a range that rises, got "FRI-SUN"'],
  ['*/0 * * * *', 'the step of minute must be 1 to 59, got 0'],
  ['*/90 * * * *', 'the step of minute must be 1 to 59, got 90'],
  ['*/5/5 * * * *', 'the step of minute must be 1 to 59, got "5/5"'],
  ['1-2-3 * * * *', 'minute must be 0 to 59, got "1-2-3"'],
  ['0, * * * *', 'minute must be 0 to 59, got ""'],
  ['-5 * * * *', 'minute must be 0 to 59, got ""'],
  ['every day', 'it must have five fields (minute hour day month weekday), or six with the second first, got 2'],
  ['', 'it must have five fields (minute hour day month weekday), or six with the second first, got 0'],
  ['0 3 * * * * *', 'it must have five fields (minute hour day month weekday), or six with the second first, got 7'],
  [' 0 3 * * *', 'white space must be single spaces between the fields'],
  ['0 3 * * *\n', 'white space must be single spaces between the fields'],
  ['0\t3 * * *', 'white space must be single spaces between the fields'],
  ['@midnight', 'a word must be one of @hourly, @daily, @weekly, @monthly, @yearly'],
])('U3: %j: %s', (expression, problem) => {
  expect(cronProblem(expression)).toBe(problem);
});
