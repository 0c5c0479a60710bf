import { consequenceOf } from '../api/consequences.ts';
import { endpointOf, type Operation } from '../api/contract.ts';
import { isOpenEnded, type Member, membersOf, type Schema } from '../api/members.ts';
import { isSecretMember } from '../api/secret-members.ts';
import { cut } from './columns.ts';
import { fold, indented } from './fold-lines.ts';
import type { Style } from './style.ts';
import type { OperationsDocument } from './document-schemas.ts';

/** Gives the names of the API document in a text the words of a platform. */
export type Words = (text: string) => string;

/** Renders operations, a line each; required members have a star. */
export function renderOperations(operations: readonly Operation[], style: Style, words: Words): string {
  const width = Math.max(0, ...operations.map((operation) => words(operation).length));
  return operations
    .map((operation) => {
      const names = membersOf(operation)
        .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
        .map(({ name, isRequired }) => `${words(name)}${isRequired ? '*' : ''}`)
        .concat(isOpenEnded(operation) ? [`(${others})`] : [])
        .join(' ');
      const start = `${endpointOf(operation).method.padEnd(4)} ${words(operation).padEnd(width)}`;
      return `${cut(names === '' ? start.trimEnd() : `${start} ${names}`, style.width ?? Infinity)}\n`;
    })
    .join('');
}

/** Renders one operation: every member with the values that it takes. */
export function renderOperation(operation: Operation, style: Style, words: Words): string {
  const members = membersOf(operation);
  const width = Math.max(0, ...members.map(({ name }) => words(name).length + 1));
  const asked = consequenceOf(operation, {});
  const lines = [
    `${endpointOf(operation).method} ${words(operation)}`,
    ...(asked === undefined ? [] : indented(fold(`asks first: ${asked}`, 2, style), 2)),
    ...members.map((member) => {
      const name = `${words(member.name)}${member.isRequired ? '*' : ''}`;
      return `  ${name.padEnd(width)} ${words(describeMember(member))}`;
    }),
    ...(isOpenEnded(operation) ? [`  ${others}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const others = 'others that the API document does not show';

/** Describes the values that a member takes. */
function describeMember({ name, schema }: Member): string {
  const notes = [
    ...(schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} when left out`]),
    ...(isSecretMember(name) ? ['secret'] : []),
  ];
  return [describe(schema), ...notes].join('; ');
}

function describe(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(describe).join(' or ');
  if (schema.enum !== undefined) return schema.enum.join(', ');
  const { items } = schema;
  switch (schema.type) {
    case 'string':
      return [schema.format ?? 'text', ...lengthOf(schema)].join(', ');
    case 'boolean':
      return 'true or false';
    case 'array':
      return `list of ${typeof items === 'object' && !Array.isArray(items) ? describe(items) : 'any value'}, as JSON`;
    case 'object':
      return 'object, as JSON';
    case 'number':
    case 'integer':
    case 'null':
      return [schema.type, ...rangeOf(schema)].join(' ');
    case undefined:
      return 'any JSON value';
    default:
      return schema.type.join(' or ');
  }
}

function lengthOf({ minLength = 0, maxLength }: Schema): string[] {
  if (maxLength !== undefined) return [`${minLength} to ${maxLength} characters`];
  return minLength > 0 ? ['not empty'] : [];
}

function rangeOf({ minimum, maximum }: Schema): string[] {
  if (minimum === undefined) return [];
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? [`from ${minimum}`]
    : [`${minimum} to ${maximum}`];
}

/** Operations with their members, as a document. */
export function operationsJson(operations: readonly Operation[], words: Words): OperationsDocument {
  return {
    format: 'trueup/operations',
    version: 1,
    operations: operations.map((operation) => ({
      operation: words(operation),
      method: endpointOf(operation).method,
      asksFirst: consequenceOf(operation, {}),
      members: membersOf(operation).map((member) => ({
        name: words(member.name),
        required: member.isRequired,
        secret: isSecretMember(member.name),
        takes: words(describeMember(member)),
      })),
    })),
  };
}
