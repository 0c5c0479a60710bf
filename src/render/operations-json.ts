import { consequenceOf } from '../api/consequences.ts';
import { endpointOf, type Operation } from '../api/contract.ts';
import { membersOf } from '../api/members.ts';
import { isSecretMember } from '../api/secret-members.ts';
import type { OperationsDocument } from './documents.ts';
import { type Words, describeMember } from './operations-text.ts';

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
