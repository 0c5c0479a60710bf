import { callerOf, isPrivileged, membership, callersOrganization } from '../caller.ts';
import { ApiError, forbidden } from '../error-answers.ts';
import type { Row } from '../json-rows.ts';
import type { Context } from '../context.ts';
import type { Rule } from './rule.ts';

/** A new organization. */
export const newOrganization: Rule = (context) => {
  if (!isPrivileged(callerOf(context))) throw forbidden('Only the organization owner can create an organization');
};

/** An organization that the caller's user belongs to; to others, and for an unknown id, it is forbidden. */
export const ownOrganization: Rule = (context, input) => {
  memberOf(context, input);
};

/** An organization that the caller's user owns. */
export const organizationToChange: Rule = (context, input) => {
  const row = context.store.find('organization', input['organizationId']);
  if (row === undefined) return;
  const member = memberOf(context, input);
  if (row['ownerId'] !== member['userId'] && member['role'] !== 'owner')
    throw forbidden('Only the organization owner can change it');
};

/** An invitation into the caller's organization. */
export const invitation: Rule = (context, input) => {
  const row = context.store.find('invitation', input['invitationId']);
  if (row !== undefined && row['organizationId'] !== callersOrganization(context))
    throw forbidden('You are not allowed to use this invitation');
};

/** A user of the organization: oneself, and for owners and admins all others. */
export const userToSee: Rule = (context, input) => {
  const { caller, target } = peopleIn(context, input);
  if (target !== undefined && target['userId'] !== caller['userId'] && !isPrivileged(caller))
    throw new ApiError('UNAUTHORIZED', 'You are not authorized to access this user');
};

/** The memberships of a user: as `userToSee`, but a stranger is forbidden, not unknown. */
export const userToCount: Rule = (context, input) => {
  const { caller, target } = peopleIn(context, input);
  if (input['userId'] === caller['userId']) return;
  if (target === undefined) throw forbidden('User is not a member of your active organization');
  if (!isPrivileged(caller)) throw forbidden("Only admins and owners can check other users' organizations");
};

/** A user to remove: owners remove admins and members, admins only members. */
export const userToRemove: Rule = (context, input) => {
  const { caller, target } = peopleIn(context, input);
  if (!isPrivileged(caller)) throw forbidden('Only owners or admins can delete users');
  if (target?.['role'] === 'owner') throw forbidden('You cannot delete the organization owner');
  if (target?.['role'] === 'admin' && caller['role'] === 'admin')
    throw forbidden('Only the organization owner can delete admins');
};

/** A key for an organization that the caller's user belongs to, be it another than the caller's. */
export const newKey: Rule = (context, input) => {
  memberOf(context, input['metadata'] as Row);
};

/** A key of the caller's user. */
export const ownKey: Rule = (context, input) => {
  const row = context.store.find('apiKey', input['apiKeyId']);
  if (row !== undefined && row['referenceId'] !== callerOf(context)['userId'])
    throw new ApiError('UNAUTHORIZED', 'You are not authorized to delete this API key');
};

function memberOf(context: Context, { organizationId }: Row): Row {
  const member = membership(context.store, callerOf(context)['userId'], organizationId);
  if (member === undefined) throw forbidden('You are not a member of this organization');
  return member;
}

function peopleIn(context: Context, input: Row): { caller: Row; target: Row | undefined } {
  const caller = callerOf(context);
  return { caller, target: membership(context.store, input['userId'], caller['organizationId']) };
}
