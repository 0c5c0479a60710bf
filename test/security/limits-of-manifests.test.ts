import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../src/formats/glob.ts';
import { tooMany } from '../../src/manifest/read-tree.ts';
import { oneError, problemsOf, told, warningsOf } from '../support/problems.ts';
import { effort, thinned } from '../support/whole.ts';
import { bench, head } from '../support/world.ts';

/** A manifest of a stranger that costs a run its time or its memory. */

const million = 'x'.repeat(1_000_000);
const production = (lines: string) =>
  `${head}variables: { big: { default: ${million} } }\nenvironments:\n  production:\n${lines}`;

describe('S13: values that expressions make too long are one error at their place', () => {
  test('a file a hundred times in sixty fields', async () => {
    const fields = Array.from(
      { length: 60 },
      (_, n) => `      K${n}: ${n === 0 ? '§' : ''}"${'${file:big}'.repeat(100)}"\n`,
    );
    const files = { 'trueup.yaml': production(`    env:\n${fields.join('')}`), big: million };
    expect(await told(files)).toEqual(oneError('too-large', /more than 16,777,216 characters/));
  });

  test('a variable 300,000 times', async () => {
    const text = production(`    description: §"${'${var:big}'.repeat(300_000)}"\n`);
    expect(await told(text)).toEqual(oneError('too-large', /more than 16,777,216 characters/));
  });

  test('a variable of the environment, in an output', async () => {
    const text = `${head}environments: { production: {} }\noutputs: { a: §"${'${env:BIG}'.repeat(1000)}" }\n`;
    expect(await told(text, { env: { BIG: million } })).toEqual(
      oneError('too-large', /more than 16,777,216 characters/),
    );
  });

  test('many fields that are too long together', async () => {
    const fields = Array.from(
      { length: 60 },
      (_, n) => `      K${n}: ${n === 4 ? '§' : ''}"${'${file:big}'.repeat(15)}"\n`,
    );
    const files = { 'trueup.yaml': production(`    env:\n${fields.join('')}`), big: million };
    expect(await told(files)).toEqual(oneError('too-large', /more than 67,108,864 characters/));
  });

  test('one text that aliases repeat', async () => {
    const fields = Array.from({ length: 80 }, (_, n) => `      K${n}: *a\n`);
    const text = production(`    description: &a §${million}\n    env:\n${fields.join('')}`).replace(
      ` default: ${million} `,
      '',
    );
    expect(await told(text)).toEqual(oneError('too-large', /more than 67,108,864 characters/));
  });
});

describe('S13: values that references make too long', () => {
  const compose = (description: string) =>
    `${head}environments:
  production:
    compose: { a: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" } } }
    redis: { b: { dockerImage: "redis:8", databasePassword: x, description: ${description} } }
`;

  test('in one field are one error at its place, before their outputs are known', async () => {
    const text = compose(`§"${'${ref:compose.a.appName}'.repeat(100_000)}"`);
    expect(await told(text)).toEqual(oneError('too-large', /more than 16,777,216 characters/));
  });

  test('by outputs of the platform are an error of plan', async () => {
    const made = bench();
    await made.apply(compose('x'));
    const [row] = Object.values(made.emulator.world.tables.compose);
    if (row === undefined) throw new Error('there is no compose');
    row['appName'] = 'y'.repeat(100_000);
    made.requests('POST');
    const refused = made.plan(compose(`"${'${ref:compose.a.appName}'.repeat(1_000)}"`));
    await expect(refused).rejects.toMatchObject({ diagnostics: [{ code: 'too-large', position: { line: 7 } }] });
    expect(made.requests('POST')).toEqual([]);
  });

  test('are an error of apply when they show there, and nothing of them is sent', async () => {
    const made = bench();
    made.emulator.onCommit = () => {
      for (const row of Object.values(made.emulator.world.tables.compose)) row['appName'] = 'y'.repeat(100_000);
    };
    const result = await made.apply(compose(`"${'${ref:compose.a.appName}'.repeat(1_000)}"`));
    const failed = result.outcomes.filter((outcome) => outcome.result !== 'done');
    expect(failed.map(({ action }) => action.address)).toContain('production.redis.b');
    expect(failed.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))).toContain('too-large');
    expect(Object.keys(made.emulator.world.tables.redis)).toEqual([]);
  });
});

test('S13: an unknown key of a million characters is compared with no other', async () => {
  const { problems } = await problemsOf(`${head}? ${'k'.repeat(900_000)}\n: 1\n`);
  expect(problems.map(({ code }) => code)).toEqual(['unknown-key']);
  expect(problems[0]?.remedy).not.toContain('Did you mean');
});

test('S13: values below the limits are evaluated', async () => {
  const fields = Array.from({ length: 3 }, (_, n) => `      K${n}: "${'${file:big}'.repeat(15)}"\n`);
  const files = { 'trueup.yaml': production(`    env:\n${fields.join('')}`), big: million };
  expect((await problemsOf(files)).problems).toEqual([]);
});

describe('S13: a pattern of include: with many * is matched', () => {
  test('against long names that nearly fit', async () => {
    const prepare = (folder: string) => {
      for (const end of ['c.yaml', 'b.yml', '']) writeFileSync(join(folder, 'a'.repeat(240) + end), '');
      writeFileSync(join(folder, `${'a'.repeat(240)}b.yaml`), 'environments: { production: {} }\n');
    };
    expect((await problemsOf(`${head}include: ["${'a*'.repeat(14)}b.yaml"]\n`, { prepare })).problems).toEqual([]);
  });

  test.each([
    ['*', '', true],
    ['*', 'abc', true],
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*a', 'a', false],
    ['ab*ba', 'aba', false],
    ['a*b*c', 'abxbc', true],
    ['a*b*c', 'acb', false],
    ['a**c', 'abc', true],
    ['a.c', 'abc', false],
    ['abc', 'abc', true],
    ['*.yaml', 'a.yaml.bak', false],
    ['*b*', 'abc', true],
    ['*b*b*', 'abc', false],
  ])('%j and %j: %j', (pattern, text, matches) => {
    expect(matchesGlob(pattern, text)).toBe(matches);
  });
});

describe('U17: the limits of one YAML file', () => {
  const padded = (bytes: number) => {
    const text = `${head}environments: { production: {} }\n`;
    return `${text}#${'x'.repeat(bytes - text.length - 2)}\n`;
  };

  test('16 MB are read', async () => {
    expect(await warningsOf(padded(16_000_000))).toEqual([]);
  });

  test('a byte more is refused', async () => {
    expect(await told(padded(16_000_001))).toMatchObject({
      problems: ['file-unreadable at the mark'],
      said: expect.stringMatching(/16000001 bytes/) as string,
    });
  });

  const tooMuch = oneError('too-large', /would take more than 500 MB of memory.*include:/);

  const many: readonly (readonly [string, string])[] = [
    ['a list', `[${'a,'.repeat(1_000_001)}]`],
    ['lists in lists', `[${'[a],'.repeat(500_000)}]`],
    ['maps', `[${'{"a":1},'.repeat(300_000)}]`],
    ['empty lists', `[${'[],'.repeat(666_000)}]`],
    ['empty maps', `[${'{},'.repeat(666_000)}]`],
    ['empty items', `\n${'-\n'.repeat(1_000_001)}`],
    ['empty maps in items', `\n${'- :\n'.repeat(500_000)}`],
    ['keys without values', `{${'a:,'.repeat(1_000_001)}}`],
    ['values without keys', `{${':,'.repeat(1_000_001)}}`],
    ['keys that are empty', `{${'?,'.repeat(1_000_001)}}`],
    ['aliases', `[&a b,${'*a,'.repeat(600_000)}]`],
    ['tags', `[${'!!str,'.repeat(500_000)}]`],
    ['lines', `"\\x41"\n${'\n'.repeat(3_000_000)}`],
    ['comments', `"\\x41"\n${'#a\n'.repeat(2_000_000)}`],
  ];
  test.each(thinned(many, 8))(
    'what would take too much memory or time is refused before it does: %s',
    async (_title, values) => {
      expect(await told(`${head}x-many: ${values}\n`)).toEqual(tooMuch);
    },
  );

  test('as many lines are read where the text is simple', async () => {
    const text = `${head}environments: { production: {} }\n`;
    expect(await warningsOf(`${text}${'#a\n\n'.repeat(1_500_000)}`)).toEqual([]);
  });

  const deep: readonly (readonly [string, string, number])[] = [
    ...[60_000, 120_000].flatMap((many): (readonly [string, string, number])[] => [
      [`${many} braces`, '{ '.repeat(many), 129],
      [`${many} brackets`, '['.repeat(many), 65],
      [`${many} lists in a line`, '- '.repeat(many), 129],
    ]),
    ['1,000 columns', Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), 65],
  ];
  describe.each(deep)('what nests too deeply is refused at its place: %s', (title, text, column) => {
    const line = title === '1,000 columns' ? 65 : 1;
    const stack = (composeFile: string) =>
      `${head}environments:\n  production:\n    compose:\n      a: { source: { type: raw, composeFile: ${composeFile} } }\n`;
    const inFile = (file: string) => ({
      code: 'yaml-syntax',
      message: 'nested more than 64 levels deep',
      position: { file, line, column },
    });

    test('a manifest', async () => {
      expect((await problemsOf(text)).problems).toMatchObject([inFile('trueup.yaml')]);
    });

    test('a file that it includes', async () => {
      const files = { 'trueup.yaml': `${head}include: [more.yaml]\n`, 'more.yaml': text };
      expect((await problemsOf(files)).problems).toMatchObject([inFile('more.yaml')]);
    });

    test('a compose file beside it', async () => {
      const files = { 'trueup.yaml': stack('"${file:compose.yml}"'), 'compose.yml': text };
      const message = 'source.composeFile: the compose file cannot be read: nested more than 64 levels deep';
      expect((await problemsOf(files)).problems).toMatchObject([
        { ...inFile('compose.yml'), code: 'inconsistent', message },
      ]);
    });

    test('a compose file in it', async () => {
      const { problems } = await problemsOf(stack(JSON.stringify(text)));
      const message = `source.composeFile: the compose file cannot be read, line ${line}, column ${column} of it: nested more than 64 levels deep`;
      expect(problems).toMatchObject([
        { ...inFile('trueup.yaml'), code: 'inconsistent', message, position: { line: 7 } },
      ]);
    });
  });

  test('more than 100 directives are refused before they take memory', async () => {
    const expected = oneError('too-large', /more than 100 lines that begin with %/);
    for (const lines of ['%\n'.repeat(101), '%\n'.repeat(8_000_000 - 100)])
      expect(await told(lines + head.replace(/^/, '---\n'))).toEqual(expected);
    const { problems } = await problemsOf(`${'%FOO\n'.repeat(100)}---\n${head}`);
    expect(problems.map(({ code }) => code)).not.toContain('too-large');
  });

  const service = (n: number) => `      s${n}:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: nginx:1.27
                environment: [A=1, B=2]
                env_file: .env
                volumes: [data${n}:/data]
            volumes:
              data${n}: {}
        env:
          REGION: eu-central-${n}
          DATABASE_URL: postgres://db-${n}/shop
          TOKEN: \${secret:TOKEN_${n}}
          FLAGS: "${'flag,'.repeat(20)}"
        description: Service number ${n} of a very large manifest that a program wrote.
        domains:
          s${n}.example.com: { serviceName: web, port: 8080, https: true, certificateType: letsencrypt }
          www.s${n}.example.com: { serviceName: web, port: 8080, https: true, certificateType: letsencrypt }
`;
  const manyServices = (count: number, more: string) =>
    `${head}${more}environments:\n  production:\n    compose:\n${Array.from({ length: count }, (_, n) => service(n)).join('')}`;
  const onlyForParser = `x-escape: "\\x41"\n`;

  test.each([
    ['as a program writes them', '', effort({ fast: 300, all: 10_000 })],
    // Whose parser takes three times as long.
    ['with a line that only the parser of YAML reads', onlyForParser, effort({ fast: 300, all: 10_000 })],
  ])(
    'many services in one file are valid, %s',
    async (_title, more, count) => {
      expect(await warningsOf(manyServices(count, more))).toEqual([]);
    },
    120_000,
  );

  test('10,000 services in one file are not too many for the parser', () => {
    expect(tooMany(manyServices(10_000, onlyForParser))).toBeUndefined();
  });
});
