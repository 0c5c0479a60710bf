import { describe, expect, expectTypeOf, it } from 'vitest';
import { contract, extension, type Input } from '../../src/api/contract.ts';
import { type InputOf, type OperationLine, readEndpoint } from '../../src/api/endpoint.ts';

function resultOf(line: OperationLine, input: Readonly<Record<string, unknown>>): unknown {
  const result = readEndpoint(line).input.safeParse(input);
  return result.success ? result.data : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the line of an operation', () => {
  it('has a method', () => {
    expect([readEndpoint('GET').method, readEndpoint('POST name: text').method]).toEqual(['GET', 'POST']);
  });

  it('has members with types, some of which may be left out or null', () => {
    const line = 'POST name: text, email, port?: number|null';
    expect(resultOf(line, { name: 'a', email: 'a@b.example' })).toEqual({ name: 'a', email: 'a@b.example' });
    expect(resultOf(line, { name: 'a', email: 'a@b.example', port: null })).toMatchObject({ port: null });
    expect(resultOf(line, { name: '', port: 'x', other: 1 })).toEqual([
      'name: Too small: expected string to have >=1 characters',
      'email: Invalid input: expected string, received undefined',
      'port: Invalid input: expected number, received string',
      ': Unrecognized key: "other"',
    ]);
    expectTypeOf<InputOf<typeof line>>().toEqualTypeOf<{
      name: string;
      email: string;
      port?: number | null | undefined;
    }>();
  });

  it('has defaults: texts, numbers, words and lists', () => {
    const line = 'POST image: string = postgres:18, limit: page = 20, isOn: boolean = true, list: strings|null = []';
    expect(resultOf(line, {})).toEqual({ image: 'postgres:18', limit: 20, isOn: true, list: [] });
    expectTypeOf<InputOf<typeof line>['list']>().toEqualTypeOf<string[] | null | undefined>();
  });

  it('has shared members, each of which may be left out after a ?', () => {
    expect(resultOf('POST ...slack', {})).toHaveLength(2);
    expect(resultOf('POST ...slack?', {})).toEqual({});
    expectTypeOf<InputOf<'POST id: text, ...slack?'>>().toEqualTypeOf<{
      id: string;
      webhookUrl?: string;
      channel?: string;
    }>();
  });

  it('takes unknown members after three dots only', () => {
    expect(resultOf('POST id: text, ...', { id: '1', more: 2 })).toEqual({ id: '1', more: 2 });
    expect(resultOf('POST id: text', { id: '1', more: 2 })).toEqual([': Unrecognized key: "more"']);
  });

  it('names a type or a member that is none', () => {
    expect(() => readEndpoint('POST id: txt').input).toThrow('The contract has no txt');
    expect(() => readEndpoint('POST ...slak').input).toThrow('The contract has no slak');
    expect(() => readEndpoint('POST id : text').input).toThrow('The contract has no id : text');
    expectTypeOf<InputOf<'POST id: txt'>>().toEqualTypeOf<{ id: never }>();
  });

  it('can be read for each operation that Trueup knows', () => {
    const endpoints = [...Object.values(contract), ...Object.values(extension)];
    expect(endpoints.map(({ input }) => input.shape)).toHaveLength(192 + 249);
  });

  it('gives the types of the input of a call', () => {
    expectTypeOf<Input<'user.get'>>().toEqualTypeOf<Record<string, never>>();
    expectTypeOf<Input<'postgres.update'>['healthCheckSwarm']>().toExtend<object | null | undefined>();
    expectTypeOf<Input<'compose.update'>['composeType']>().toEqualTypeOf<'docker-compose' | 'stack' | undefined>();
    const removal: Input<'compose.delete'> = { composeId: 'cmp_1', deleteVolumes: false };
    expect(contract['compose.delete'].input.parse(removal)).toEqual(removal);
    expectTypeOf<Input<'compose.delete'>>().toEqualTypeOf<{ composeId: string; deleteVolumes: boolean }>();
  });
});
