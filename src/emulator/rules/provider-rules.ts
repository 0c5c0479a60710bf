import { callerOf, isPrivileged, callersOrganization } from '../caller.ts';
import type { Context } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import type { ProviderKind } from '../git-hosts.ts';
import type { Row } from '../json-rows.ts';
import { isLicensed } from '../licence.ts';
import type { Rule } from './rule.ts';

/** A git provider: one of another organization is not found, one that a member may not use is forbidden. */
export function provider(kind: ProviderKind): Rule {
  return (context, input) => {
    const row = context.store.find(kind, input[`${kind}Id`]);
    const record = context.store.find('gitProvider', row?.['gitProviderId']);
    if (record === undefined) return;
    if (record['organizationId'] !== callersOrganization(context)) throw notFound('Git provider');
    if (!mayUseProvider(context, record))
      throw new ApiError('FORBIDDEN', 'You are not allowed to access this git provider');
  };
}

/** Whether the caller may use a git provider of his organization: a member his own, shared ones and those in his list. */
export function mayUseProvider(context: Context, record: Row): boolean {
  const caller = callerOf(context);
  if (isPrivileged(caller) || record['userId'] === caller['userId'] || record['sharedWithOrganization'] === true)
    return true;
  const listed = caller['accessedGitProviders'];
  return Array.isArray(listed) && listed.includes(record['gitProviderId'] ?? null) && isLicensed(context);
}
