import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../src/ci/ci-options.ts';

describe('the options of trueup-ci', () => {
  test.each([
    [['plan'], { folder: '.', file: 'trueup.yaml', shared: [], own: [] }],
    [['plan', '--no-comment'], { comments: false, own: [] }],
    [['plan', '-C', 'infra', '--full'], { folder: 'infra', shared: ['--directory=infra'], own: ['--full'] }],
    [['plan', '-Cinfra'], { folder: 'infra' }],
    [['plan', '--directory=infra', '--file', 'prod.yaml'], { folder: 'infra', file: 'prod.yaml' }],
    [['apply', '--var', 'a=b=c', '--var=d='], { shared: ['--var=a=b=c', '--var=d='] }],
    [['apply', '--allow-http', '--no-wait'], { shared: ['--allow-http'], own: ['--no-wait'] }],
    [['plan', '--directory=.', '-C', 'infra'], { folder: 'infra', shared: ['--directory=infra'] }],
    [['plan', '--document', 'a.json'], { document: 'a.json', shared: [], own: [] }],
    [['apply', '--document=a.json'], { document: undefined, own: ['--document=a.json'] }],
    [['preview', '--remove', '--number=', '--commit', 'c'], { remove: true, number: '', commit: 'c', own: [] }],
    [['comment', '-f', 'x.yaml', 'a.json', 'b.json'], { file: '*.yaml', own: ['a.json', 'b.json'] }],
    [['plan', '--target', 'production.*'], { own: ['--target', 'production.*'] }],
    [['plan', '--target=-C'], { folder: '.', own: ['--target=-C'] }],
    [['drift', '-f', 'a.yaml', '-f', 'b.yaml'], { shared: ['--file=a.yaml', '--file=b.yaml'] }],
  ])('%j', (words, expected) => {
    expect(readOptions(words)).toMatchObject(expected);
  });

  test.each([
    [['paln'], 'trueup-ci has no command "paln"'],
    [['plan', '-C'], '-C needs a value'],
    [['plan', '--out', 'x'], 'trueup-ci plan sets --out itself'],
    [['plan', '--format=json'], 'trueup-ci plan sets --format itself'],
    [['plan', '--show-values'], 'trueup-ci plan sets --show-values itself'],
    [['plan', '-f', 'a.yaml', '--file=b.yaml'], 'trueup-ci plan takes one root file, got a.yaml and b.yaml'],
    [['apply', '-fa.yaml', '-fb.yaml', '-fc.yaml'], 'takes one root file, got a.yaml, b.yaml and c.yaml'],
    [['plan', '--all'], 'trueup-ci plan takes one root file, got --all'],
  ])('%j is refused', (words, message) => {
    expect(() => readOptions(words)).toThrow(message);
  });
});

test('the pages give trueup-ci commands and options that it has', () => {
  const pages = ['pipelines', 'stages', 'tutorial'].map((name) => `../../docs/${name}.md`);
  const texts = [...pages, '../../action.yml'].map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'));
  const lines = texts.flatMap((text) => [...text.matchAll(/`trueup-ci ([^`]+)`/g)].map(([, line = '']) => line));
  const commands = lines.map((line) => readOptions(line.split(' ')));
  expect(new Set(commands.map(({ command }) => command))).toEqual(
    new Set(['plan', 'apply', 'drift', 'comment', 'preview']),
  );
  expect(commands.flatMap(({ own }) => own.filter((word) => word.startsWith('-')))).toEqual([]);
});
