import { consequenceOf } from '../api/consequences.ts';
import { endpointOf, type Operation } from '../api/contract.ts';
import { membersOf } from '../api/members.ts';
import { isSecretMember } from '../api/secret-members.ts';
import type { OperationsDocument } from './documents.ts';
import { describeMember } from './operations-text.ts';

/** Operations with their members, as a document. */
export function operationsJson(operations: readonly Operation[]): OperationsDocument {
  return {
    format: 'trueup/operations',
    version: 1,
    operations: operations.map((operation) => {
      const asksFirst = consequenceOf(operation, {});
      return {
        operation,
        method: endpointOf(operation).method,
        ...(asksFirst === undefined ? {} : { asksFirst }),
        members: membersOf(operation).map((member) => ({
          name: member.name,
          required: member.isRequired,
          secret: isSecretMember(member.name),
          takes: describeMember(member),
        })),
      };
    }),
  };
}
