import { get } from '../endpoint.ts';

/** Operations of the `settings` group beyond the API document. */
export const settings = {
  'settings.getDokployVersion': get(() => ({})),
  'settings.getReleaseTag': get(() => ({})),
  'settings.getIp': get(() => ({})),
  'settings.getOpenApiDocument': get(() => ({})),
  'settings.isCloud': get(() => ({})),
  'settings.health': get(() => ({})),
};
