import { callersOrganization } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { notFound } from '../error-answers.ts';
import { pick, textOf, type Row } from '../json-rows.ts';
import { requireLicence } from '../licence.ts';
import { newestFirst } from '../newest-first.ts';
import { checkOrganization } from '../rules/rule.ts';

/** The `forwardAuth` group, without its proxies: no machine is ever reached. Everything needs an enterprise licence. */
export const forwardAuth: Group = {
  'forwardAuth.getAuthDomain'(context, input) {
    checkServer(context, input);
    const row = settingsOf(context, input['serverId'] ?? null);
    return row === undefined ? null : { host: row['authDomain'] ?? '', ...shown(row) };
  },

  // The whole record: what is left out gets its default.
  'forwardAuth.setAuthDomain'(context, input) {
    checkServer(context, input);
    const { store, newId, now } = context;
    const authDomain = textOf(input, 'authDomain').trim().toLowerCase();
    const labels = authDomain.split('.');
    const values = {
      ...pick(input, ['https', 'certificateType', 'customCertResolver']),
      authDomain,
      baseDomain: `.${(labels.length > 2 ? labels.slice(1) : labels).join('.')}`,
    };
    const { serverId = null } = input;
    const known = settingsOf(context, serverId);
    const id = { forwardAuthSettingsId: newId(), serverId, createdAt: now() };
    if (known === undefined) store.insert('forwardAuthSettings', { ...id, ...values });
    else store.update('forwardAuthSettings', known['forwardAuthSettingsId'], values);
    return { callbackUrl: callbackUrl(authDomain, input['https'] === true) };
  },

  'forwardAuth.removeAuthDomain'(context, input) {
    checkServer(context, input);
    const known = settingsOf(context, input['serverId'] ?? null);
    if (known !== undefined) context.store.remove('forwardAuthSettings', known['forwardAuthSettingsId']);
    return { ok: true };
  },

  // The platform's own server first, then those that run services and have a key to log in with.
  'forwardAuth.serverStatus'(context) {
    requireLicence(context);
    const { store } = context;
    const own = { serverId: null, name: 'Dokploy Server (local)', ipAddress: null };
    const servers = newestFirst(store.children('server', 'organizationId', callersOrganization(context)))
      .filter((row) => row['sshKeyId'] !== null && row['serverType'] === 'deploy')
      .map((row) => pick(row, ['serverId', 'name', 'ipAddress']));
    return [own, ...servers].map((target) => {
      const row = settingsOf(context, target['serverId'] ?? null);
      const none = { https: true, certificateType: 'none', customCertResolver: null, callbackUrl: null };
      return {
        ...target,
        status: 'stopped',
        authDomain: row?.['authDomain'] ?? null,
        ...(row === undefined ? none : shown(row)),
      };
    });
  },
};

function shown(row: Row): Row {
  const url = callbackUrl(textOf(row, 'authDomain'), row['https'] === true);
  return { ...pick(row, ['https', 'certificateType', 'customCertResolver']), callbackUrl: url };
}

function callbackUrl(host: string, https: boolean): string {
  return `${https ? 'https' : 'http'}://${host}/oauth2/callback`;
}

/** The settings of a server; of the platform's own for null, and for the empty id that it takes for the same. */
function settingsOf({ store }: Context, serverId: Row[string]): Row | undefined {
  return Object.values(store.world.tables.forwardAuthSettings).find((row) => row['serverId'] === (serverId || null));
}

function checkServer(context: Context, { serverId }: Row): void {
  requireLicence(context);
  if (typeof serverId !== 'string' || serverId === '') return;
  const row = context.store.find('server', serverId);
  if (row === undefined) throw notFound('Server');
  checkOrganization(context, row, 'server');
}
