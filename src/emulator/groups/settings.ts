import type { Group } from '../context.ts';

/** The `settings` group, but for what the platform publishes about itself: `openapi-answer.ts` has that. */
export const settings: Group = {
  'settings.getReleaseTag': () => 'latest',

  // Nobody has set the address of the server.
  'settings.getIp': () => '',

  'settings.isCloud': () => false,

  'settings.health': () => ({ status: 'ok' }),
};
