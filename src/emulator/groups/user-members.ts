import { membership, callersOrganization, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { omit, textOf, type Row } from '../json-rows.ts';
import { isLicensed } from '../licence.ts';
import { rowView } from '../views.ts';

/** The operations of the `user` group for the members of the caller's organization. */
export const userMembers: Group = {
  'user.all': (context) =>
    ownRows(context, 'member')
      .toSorted((a, b) => textOf(a, 'createdAt').localeCompare(textOf(b, 'createdAt')))
      .map((member) => view(context, member)),

  'user.one'(context, input) {
    const member = colleague(context, input['userId']);
    if (member === undefined) throw new ApiError('NOT_FOUND', 'User not found in this organization');
    return view(context, member);
  },

  // The whole user, not only the membership.
  'user.remove'(context, input) {
    const member = colleague(context, input['userId']);
    if (member === undefined) throw new ApiError('NOT_FOUND', 'Target user is not a member of this organization');
    context.store.remove('user', member['userId']);
    return undefined;
  },

  // The id is the user's; a stranger's is a success too. Two lists are only kept with a licence, without a word.
  'user.assignPermissions'(context, input) {
    const ignored = isLicensed(context) ? [] : ['accessedGitProviders', 'accessedServers'];
    context.store.update('member', colleague(context, input['id'])?.['id'], omit(input, ['id', ...ignored]));
    return undefined;
  },

  'user.checkUserOrganizations': ({ store }, input) => store.children('member', 'userId', input['userId']).length,

  // No mail is ever sent, and which notification would send it is not looked at.
  'user.sendInvitation'({ store }, input) {
    if (store.find('invitation', input['invitationId']) === undefined) throw notFound('Invitation');
    return `https://platform.example.test/invitation?token=${textOf(input, 'invitationId')}`;
  },
};

function colleague(context: Context, userId: Row[string] | undefined): Row | undefined {
  return membership(context.store, userId, callersOrganization(context));
}

function view({ store }: Context, member: Row): Row {
  return { ...member, user: rowView(store, 'user', member['userId']) };
}
