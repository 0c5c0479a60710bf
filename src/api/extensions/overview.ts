import { get } from '../endpoint.ts';

/** Operations of the `overview` group beyond the API document. */
export const overview = {
  'overview.services': get(() => ({})),
  'overview.backups': get(() => ({})),
  'overview.domains': get(() => ({})),
};
