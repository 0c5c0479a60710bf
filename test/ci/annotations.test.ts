import { expect, test } from 'vitest';
import { annotations } from '../../src/ci/annotations.ts';

const position = { file: 'trueup.yaml', line: 3, column: 5 };

test('annotations name file, line, column and code, errors first', () => {
  expect(
    annotations(
      [
        { code: 'similar-name', severity: 'warning', message: 'two names', position },
        { code: 'unknown-key', severity: 'error', message: 'unknown key', remedy: 'Remove it.', position },
        { code: 'no-place', severity: 'error', message: 'nowhere' },
      ],
      'infra/',
    ),
  ).toBe(
    '::error file=infra/trueup.yaml,line=3,col=5,title=trueup%3A unknown-key::unknown key -> Remove it.\n' +
      '::warning file=infra/trueup.yaml,line=3,col=5,title=trueup%3A similar-name::two names\n',
  );
});

test('nothing in a message or a name of a file adds a command or a property', () => {
  const file = 'a,title=x::\n::add-mask::%0A.yaml';
  const message = '50% done\r\n::set-output name=a::b\n##[group]';
  const text = annotations([{ code: 'yaml', severity: 'error', message, position: { ...position, file } }], '');
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toBe(
    '::error file=a%2Ctitle=x%3A%3A\\n%3A%3Aadd-mask%3A%3A%250A.yaml,line=3,col=5,title=trueup%3A yaml::' +
      '50%25 done\\r\\n::set-output name=a::b\\n\\u0023#[group]\n',
  );
});

test('a remedy with lines to paste keeps them, and nothing in them adds a command', () => {
  const remedy = 'Write this instead:\nenv:\n  A: "50%\r::add-mask::x"';
  const text = annotations([{ code: 'wrong-type', severity: 'error', message: 'env', remedy, position }], '');
  expect(text).toBe(
    '::error file=trueup.yaml,line=3,col=5,title=trueup%3A wrong-type::' +
      'env -> Write this instead:%0Aenv:%0A  A: "50%25\\r::add-mask::x"\n',
  );
});

test('a step gets at most ten annotations of a severity, as many as GitHub keeps', () => {
  const many = Array.from({ length: 30 }, () => ({ code: 'x', severity: 'note' as const, message: 'm', position }));
  expect(annotations(many, '').split('\n')).toHaveLength(11);
});
