import { describe, expect, it } from 'vitest';
import { cleanText, readData, readError } from '../../src/api/answer.ts';
import type { WireAnswer } from '../../src/api/wire.ts';

const plain = (text: string): string => text;
const hideSesame = (text: string): string => text.replaceAll('sesame', '(secret)');

function answer(body: string, type: string | undefined = 'application/json', status = 200): WireAnswer {
  return { status, body, headers: type === '' ? {} : { 'content-type': type } };
}

describe('the data of an answer', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['[]', []],
    ['true', true],
    ['false', false],
    ['null', null],
    ['7', 7],
    ['"text"', 'text'],
    ['', undefined],
    [' \n', undefined],
  ])('%j is %j', (body, data) => {
    expect(readData(answer(body))).toEqual({ isData: true, data });
    expect(readData(answer(body, 'application/json; charset=utf-8'))).toEqual({ isData: true, data });
    expect(readData(answer(body, ''))).toEqual({ isData: true, data });
  });

  it('is text when its content type is text', () => {
    expect(readData(answer('services: {}\n', 'text/plain'))).toEqual({ isData: true, data: 'services: {}\n' });
  });

  it.each([
    ['a web page', answer('<!DOCTYPE html><title>Log in</title>', 'text/html; charset=utf-8')],
    ['an empty web page', answer('', 'text/html')],
    ['a web page that claims to be JSON', answer('<html></html>')],
    ['a web page that claims to be text', answer('\n<!doctype html>', 'text/plain')],
    ['a web page without a type', answer('<html lang="en">', '')],
    ['JSON that is cut off', answer('{"a":"b')],
    ['text without a type', answer('Bad gateway', '')],
    ['a picture', answer('\u0089PNG', 'image/png')],
  ])('is never %s', (_what, given) => {
    expect(readData(given)).toMatchObject({ isData: false });
  });
});

describe('an error answer', () => {
  it('is read from the shape of the platform', () => {
    const body = JSON.stringify({
      message: 'Input validation failed',
      code: 'BAD_REQUEST',
      data: { code: 'BAD_REQUEST', httpStatus: 400, path: 'ai.create', zodError: null },
      issues: [{ code: 'invalid_format', path: ['metadata', 0, 'url'], message: 'Please enter a valid URL' }],
    });
    expect(readError(answer(body, undefined, 400), plain)).toEqual({
      message: 'Input validation failed',
      code: 'BAD_REQUEST',
      issues: [{ path: 'metadata.0.url', message: 'Please enter a valid URL' }],
      absence: undefined,
      form: 'object',
    });
  });

  it.each([
    ['without a code', '{"message":"Unauthorized"}', 'Unauthorized'],
    ['of a proxy', '{"error":"upstream is down"}', 'upstream is down'],
    ['with a message that is not text', '{"message":{"a":1},"code":7,"issues":"x","data":[]}', ''],
    ['that is an array', '["a"]', ''],
    ['that is cut off', '{"message":"Una', ''],
    ['that is empty', '', ''],
    ['that is text', 'Body exceeded 1mb limit', 'Body exceeded 1mb limit'],
  ])('is read from a body %s', (_what, body, message) => {
    expect(readError(answer(body), plain)).toMatchObject({ message, code: undefined, issues: [] });
  });

  it('is the title of a web page', () => {
    const page = '<html><head><title>502 Bad\nGateway</title></head><body>nginx/1.2 sesame</body></html>';
    expect(readError(answer(page, 'text/html'), plain).message).toBe('502 Bad Gateway');
    expect(readError(answer('<html><body>no title', 'text/html'), plain).message).toBe('');
  });

  it('counts issues of an unknown shape', () => {
    const { issues } = readError(answer('{"message":"m","issues":["x",{"path":"p"}]}'), plain);
    expect(issues).toEqual([
      { path: '', message: 'is not accepted' },
      { path: '', message: 'is not accepted' },
    ]);
  });

  it('is redacted in issues too', () => {
    const body = '{"message":"m","issues":[{"path":["sesame"],"message":"got sesame"}]}';
    expect(readError(answer(body), hideSesame).issues).toEqual([{ path: '(secret)', message: 'got (secret)' }]);
  });

  it.each([
    ['{"message":"Compose not found","code":"NOT_FOUND","data":{"path":"compose.one"}}', 'thing'],
    ['{"message":"Not found","code":"NOT_FOUND","data":{"path":"compose.one"}}', 'thing'],
    ['{"message":"Not found","code":"NOT_FOUND","data":{"code":"NOT_FOUND"}}', 'operation'],
    ['{"message":"Not found"}', 'operation'],
    ['{"message":"Not found","code":"NOT_FOUND","issues":[]}', 'either'],
    ['{"message":"Compose not found"}', undefined],
    ['404 page not found', undefined],
    ['<html><title>Not found</title>', undefined],
  ])('of %s is the absence of: %s', (body, absence) => {
    expect(readError(answer(body, undefined, 404), plain).absence).toBe(absence);
  });
});

describe('a text from the platform', () => {
  it('is one line without control characters', () => {
    expect(cleanText('a\r\nb\t\u0007c \u001b[31mred\u001b[0m \u202egnirts\u2028d', plain)).toBe('a b c red gnirts d');
  });

  it('loses the values of a failed query', () => {
    expect(cleanText('Failed query: insert into "x" values ($1)\nparams: a,hunter2', plain)).toBe(
      'Failed query: insert into "x" values ($1)',
    );
  });

  it('loses secrets that this run does not know', () => {
    const text = 'rclone lsjson --s3-secret-access-key=abc --pass="a b" PGPASSWORD=xyz https://u:p@git.example/r now';
    expect(cleanText(text, plain)).toBe(
      'rclone lsjson --s3-secret-access-key=*** --pass=*** PGPASSWORD=*** https://***@git.example/r now',
    );
  });

  it('is redacted before it is cut, so that no half of a secret is left', () => {
    const text = cleanText(`${'x'.repeat(296)}sesame and more`, hideSesame);
    expect(text).toHaveLength(300);
    expect(text).toBe(`${'x'.repeat(296)}(se…`);
  });

  it('is redacted again when taking away control characters completes a secret', () => {
    expect(cleanText('ses\u0000ame of two\nparts', (text) => text.replaceAll('ses ame', '(secret)'))).toBe(
      '(secret) of two parts',
    );
  });
});
