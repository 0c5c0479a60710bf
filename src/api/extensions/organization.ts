import { get } from '../endpoint.ts';

/** Operations of the `organization` group beyond the API document. */
export const organization = {
  'organization.active': get(() => ({})),
};
