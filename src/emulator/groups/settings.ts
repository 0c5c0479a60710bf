import type { Context, Group } from '../context.ts';
import { notFound } from '../error-answers.ts';
import { requireLicence } from '../licence.ts';
import { pick, type Row } from '../json-rows.ts';
import { newSettings } from '../new-settings.ts';
import { checkOrganization } from '../rules/rule.ts';

/** The `settings` group, but for what the platform publishes about itself: `openapi-answer.ts` has that. */
export const settings: Group = {
  'settings.getReleaseTag': () => 'latest',

  'settings.getIp': (context) => settingsOf(context)['serverIp'] ?? '',

  'settings.isCloud': () => false,

  'settings.health': () => ({ status: 'ok' }),

  'settings.getWebServerSettings': settingsOf,

  // What is left out stays; the files of the proxy follow.
  'settings.assignDomainServer': (context, input) => change(context, input),

  'settings.updateServerIp': (context, input) => change(context, input),

  'settings.updateDockerCleanup'(context, input) {
    const values = pick(input, ['enableDockerCleanup']);
    const { serverId } = input;
    if (typeof serverId !== 'string' || serverId === '') change(context, values);
    else {
      // The platform writes first, and looks then whose it is.
      const row = context.store.update('server', serverId, values);
      if (row === undefined) throw notFound('Server');
      checkOrganization(context, row, 'server');
    }
    return true;
  },

  // An empty expression ends it, like null.
  'settings.updateLogCleanup': (context, input) => set(context, { logCleanupCron: input['cronExpression'] || null }),

  'settings.getLogCleanupStatus'(context) {
    const { logCleanupCron: cronExpression = null } = settingsOf(context);
    return { enabled: cronExpression !== null, cronExpression };
  },

  'settings.updateBuildsConcurrency': set,

  'settings.updateRemoteServersOnly': licensed,

  'settings.updateEnforceSSO': licensed,
};

function set(context: Context, input: Row): true {
  change(context, input);
  return true;
}

/** Stores what needs an enterprise licence. */
function licensed(context: Context, input: Row): true {
  requireLicence(context);
  return set(context, input);
}

/** The one row of settings, which is there from the first look at it on. */
function settingsOf({ store, newId, now }: Context): Row {
  const [known] = Object.values(store.world.tables.webServerSettings);
  const at = { createdAt: now(), updatedAt: now() };
  return known ?? store.insert('webServerSettings', { id: newId(), ...newSettings, ...at });
}

function change(context: Context, values: Row): Row {
  const { id } = settingsOf(context);
  return context.store.update('webServerSettings', id, { ...values, updatedAt: context.now() }) ?? {};
}
