import { callersOrganization } from './caller.ts';
import type { Context } from './context.ts';
import { ApiError } from './error-answers.ts';

/** Whether the caller's organization has an enterprise licence: its owner holds it. */
export function isLicensed(context: Context): boolean {
  const organization = context.store.find('organization', callersOrganization(context));
  const owner = context.store.find('user', organization?.['ownerId']);
  return owner?.['enableEnterpriseFeatures'] === true && owner['isValidEnterpriseLicense'] === true;
}

/** @throws {ApiError} where the caller's organization has no enterprise licence. */
export function requireLicence(context: Context): void {
  if (!isLicensed(context)) throw new ApiError('FORBIDDEN', 'Valid enterprise license required');
}
