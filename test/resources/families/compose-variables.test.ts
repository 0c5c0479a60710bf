import { describe, expect, test } from 'vitest';
import { interpolate } from '../../../src/compose/interpolate.ts';
import { projectOf, variablesOf } from '../../../src/resources/families/compose-variables.ts';

/** The variables of a compose file, as Docker Compose fills them in. */

const variables = new Map([
  ['PG', '17'],
  ['EMPTY', ''],
]);

describe('a text of a compose file', () => {
  test.each([
    ['postgres:$PG', 'postgres:17'],
    ['postgres:${PG}-alpine', 'postgres:17-alpine'],
    ['${PG:-18} ${PG-18} ${PG:+18} ${PG+18}', '17 17 18 18'],
    ['${EMPTY:-18} ${EMPTY-18} ${EMPTY:+18} ${EMPTY+18}', '18   18'],
    ['${NONE:-18} ${NONE-18} ${NONE:-${PG}} ${NONE:-}', '18 18 17 '],
    ['${PG:?it is needed} ${NONE:?it is needed}', '17 ${NONE}'],
    ['$NONE ${NONE}', '${NONE} ${NONE}'],
    ['$$PG $${PG} $', '$PG ${PG} $'],
    ['${{environment.PG}} ${1} ${PG', '${{environment.PG}} ${1} ${PG'],
  ])('%s becomes %s', (text, filled) => {
    expect(interpolate(text, (name) => variables.get(name)).text).toBe(filled);
  });

  test('takes linear time', () => {
    const text = '${A:-'.repeat(100_000);
    expect(interpolate(text, (name) => variables.get(name)).text).toBe(text);
  });
});

describe('the variables of a compose', () => {
  test('are those of its env, with those of the environment and earlier ones', () => {
    const env = 'A=${{environment.X}}\nB=${A}.2\nC=${{environment.Y}}\nD=${{project.X}}\n';
    expect([...variablesOf({ env }, { env: 'X=17\n' })]).toEqual([
      ['A', '17'],
      ['B', '17.2'],
      ['C', '${{environment.Y}}'],
      ['D', '${{project.X}}'],
    ]);
  });

  test('are filled in with the text of other ones, once, after those of the environment', () => {
    const env = 'A=${{B}}/${{environment.X}}\nB=${{C}}\nC=17\nD=${{NONE}}\nE=${{ C }}\nF=${{C\n';
    expect([...variablesOf({ env }, { env: 'X=${{C}}\n' })]).toEqual([
      ['A', '${{C}}/17'],
      ['B', '17'],
      ['C', '17'],
      ['D', '${{NONE}}'],
      ['E', '${{ C }}'],
      ['F', '${{C'],
    ]);
  });

  test.each([
    ['', {}, 'shop-x1'],
    [null, {}, 'shop-x1'],
    ['compose up -d', {}, 'shop-x1'],
    ['compose -p shop2 -f docker-compose.yml up -d', {}, 'shop2'],
    ['compose -pshop2 up', {}, 'shop2'],
    ['compose --project-name shop2 up', {}, 'shop2'],
    ['compose pull && docker compose --project-name=shop2 up -d', {}, 'shop2'],
    ['compose --progress plain up --pull always -d', {}, 'shop-x1'],
    ['compose up -d', { env: 'COMPOSE_PROJECT_NAME=shop3' }, 'shop3'],
    ['', { env: 'COMPOSE_PROJECT_NAME=shop3' }, 'shop-x1'],
    ['compose up -d', { createEnvFile: false }, 'code'],
    ['stack deploy -c docker-compose.yml shop2 --prune', { composeType: 'stack' }, 'shop2'],
  ])('and the command %j with %j name the project %s', (command, more, project) => {
    const row = { appName: 'shop-x1', command, ...more };
    expect(projectOf(row, variablesOf(row))).toBe(project);
  });

  test('are none without the file, unless it is a stack', () => {
    const env = 'A=1\n';
    expect(variablesOf({ env, createEnvFile: false, composeType: 'docker-compose' }).size).toBe(0);
    expect(variablesOf({ env, createEnvFile: false, composeType: 'stack' }).size).toBe(1);
    expect(variablesOf({}).size).toBe(0);
  });
});
