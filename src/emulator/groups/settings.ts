import type { Group } from '../context.ts';

/** The `settings` group, but for what the platform publishes about itself: `openapi-answer.ts` has that. */
export const settings: Group = {
  'settings.getReleaseTag': () => 'latest',

  // The address of the server is not set.
  'settings.getIp': () => '',

  'settings.isCloud': () => false,

  'settings.health': () => ({ status: 'ok' }),
};
