import { expect } from 'vitest';
import { columnsOf, names, notFound, row, rows, type EndpointCase } from './endpoint-case.ts';

const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n';
const keyColumns = [...columnsOf(['sshKey.create', 'sshKey.update']), 'createdAt'];
const certificateColumns = columnsOf(['certificates.create']);
const aiColumns = [...columnsOf(['ai.create', 'ai.update']), 'organizationId'];
const organizationColumns = ['id', 'name', 'slug', 'logo', 'createdAt', 'metadata', 'ownerId', 'defaultRole'];
const environmentColumns = columnsOf(['environment.create', 'environment.update']);
const lists = ['applications', 'mariadb', 'mongo', 'mysql', 'postgres', 'redis', 'compose', 'libsql'];

/** The 6 endpoints of the `environment` group. */
const environment: Readonly<Record<string, EndpointCase>> = {
  'environment.create': {
    input: { name: 'preview', description: 'for reviews', projectId: 'prj_1' },
    has: [...environmentColumns, 'createdAt', 'isDefault'],
    async check({ answer, call }) {
      const made = { name: 'preview', description: 'for reviews', isDefault: false };
      expect(answer).toMatchObject(made);
      const all = await call('environment.byProjectId', { projectId: 'prj_1' });
      expect(all).toContainEqual(expect.objectContaining({ ...made, environmentId: row(answer)['environmentId'] }));
    },
  },
  'environment.one': {
    input: ({ environmentId }) => ({ environmentId }),
    has: [...environmentColumns, 'isDefault', ...lists, 'project'],
    check({ answer, ids: { applicationId, gitApplicationId, composeId, postgresId } }) {
      expect(answer).toMatchObject({
        name: 'production',
        isDefault: true,
        compose: [{ composeId, composeStatus: 'done', icon: null }],
        postgres: [{ postgresId, name: 'prepared', applicationStatus: 'done' }],
        mysql: [],
        project: { projectId: 'prj_1', env: '' },
      });
      const applications = rows(row(answer)['applications']).map((item) => item['applicationId']);
      expect(new Set(applications)).toEqual(new Set([applicationId, gitApplicationId]));
      expect(answer).not.toHaveProperty('createdAt');
      expect(rows(row(answer)['postgres'])[0]).not.toHaveProperty('appName');
    },
  },
  'environment.byProjectId': {
    input: { projectId: 'prj_1' },
    has: ['name', 'description', 'environmentId', 'isDefault', ...lists, 'project'],
    async check({ answer, call, ids: { environmentId, stagingId, postgresId } }) {
      const [first] = rows(answer);
      expect(rows(answer).map((item) => item['environmentId'])).toEqual([environmentId, stagingId]);
      expect(first).not.toHaveProperty('env');
      expect(first?.['postgres']).toMatchObject([
        { postgresId, appName: expect.stringMatching(/^postgres-/) as string },
      ]);
      expect(await call('environment.byProjectId', { projectId: 'unknown' })).toEqual([]);
    },
  },
  'environment.remove': {
    input: ({ stagingId }) => ({ environmentId: stagingId }),
    has: environmentColumns,
    async check({ answer, call, ids: { stagingId, environmentId } }) {
      expect(answer).toMatchObject({ environmentId: stagingId });
      await expect(call('environment.one', { environmentId: stagingId })).rejects.toMatchObject(notFound);
      await expect(call('environment.remove', { environmentId })).rejects.toMatchObject({ status: 400 });
    },
  },
  'environment.update': {
    input: ({ stagingId }) => ({ environmentId: stagingId, name: 'preview', env: 'REGION=us\n' }),
    has: environmentColumns,
    async check({ answer, call, ids: { stagingId } }) {
      const now = { name: 'preview', env: 'REGION=us\n' };
      expect(answer).toMatchObject(now);
      expect(await call('environment.one', { environmentId: stagingId })).toMatchObject(now);
    },
  },
  // Its settings, not its services.
  'environment.duplicate': {
    input: ({ stagingId }) => ({ environmentId: stagingId, name: 'copy', description: 'of staging' }),
    has: environmentColumns,
    async check({ answer, call }) {
      const { environmentId } = row(answer);
      const copy = { name: 'copy', description: 'of staging', env: 'REGION=eu\n', projectId: 'prj_1' };
      expect(await call('environment.one', { environmentId })).toMatchObject({ ...copy, applications: [] });
    },
  },
};

/** The 6 endpoints of the `sshKey` group. */
const sshKey: Readonly<Record<string, EndpointCase>> = {
  'sshKey.create': {
    input: { name: 'deploy', privateKey: pem, publicKey: 'ssh-ed25519 AAAA3 deploy', organizationId: 'other' },
    async check({ call }) {
      const [newest] = rows(await call('sshKey.all'));
      // The organization is that of the API key, whatever was sent.
      expect(newest).toMatchObject({ name: 'deploy', publicKey: 'ssh-ed25519 AAAA3 deploy', organizationId: 'org_1' });
    },
  },
  'sshKey.remove': {
    input: { sshKeyId: 'key_1' },
    has: keyColumns,
    async check({ answer, call }) {
      expect(answer).toMatchObject({ sshKeyId: 'key_1' });
      await expect(call('sshKey.one', { sshKeyId: 'key_1' })).rejects.toMatchObject(notFound);
    },
  },
  'sshKey.one': {
    input: { sshKeyId: 'key_1' },
    has: keyColumns,
    check: ({ answer }) => expect(answer).toMatchObject({ name: 'key-1', privateKey: 'private key 1' }),
  },
  'sshKey.all': {
    has: keyColumns,
    check: ({ answer }) =>
      expect(new Set(rows(answer).map(({ sshKeyId }) => sshKeyId))).toEqual(new Set(['key_1', 'key_2'])),
  },
  'sshKey.generate': {
    input: { type: 'ed25519' },
    has: ['privateKey', 'publicKey'],
    async check({ answer, call }) {
      expect(row(answer)['publicKey']).toMatch(/^ssh-ed25519 AAAA/);
      expect(row(answer)['privateKey']).toMatch(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/);
      expect(await call('sshKey.all')).toHaveLength(2);
    },
  },
  'sshKey.update': {
    input: { sshKeyId: 'key_1', name: 'renamed', description: 'for repositories' },
    has: keyColumns,
    async check({ answer, call }) {
      const now = { name: 'renamed', description: 'for repositories', publicKey: 'ssh-ed25519 AAAA1 emulator' };
      expect(answer).toMatchObject(now);
      expect(await call('sshKey.one', { sshKeyId: 'key_1' })).toMatchObject(now);
    },
  },
};

/** The 4 endpoints of the `certificates` group. */
const certificates: Readonly<Record<string, EndpointCase>> = {
  'certificates.create': {
    input: {
      certificateId: 'chosen',
      name: 'shop',
      certificateData: 'data',
      privateKey: 'key',
      organizationId: 'other',
      autoRenew: true,
    },
    has: certificateColumns,
    async check({ answer, call }) {
      const made = { certificateId: 'chosen', name: 'shop', organizationId: 'org_1', autoRenew: true };
      expect(answer).toMatchObject(made);
      expect(row(answer)['certificatePath']).toMatch(/^certificate-/);
      expect(await call('certificates.one', { certificateId: 'chosen' })).toMatchObject(made);
    },
  },
  'certificates.one': {
    input: ({ certificateId }) => ({ certificateId }),
    has: certificateColumns,
    check: ({ answer }) => expect(answer).toMatchObject({ name: 'prepared', privateKey: 'certificate key' }),
  },
  'certificates.remove': {
    input: ({ certificateId }) => ({ certificateId }),
    async check({ answer, call }) {
      expect(answer).toBe(true);
      expect(await call('certificates.all')).toEqual([]);
    },
  },
  'certificates.all': {
    has: [...certificateColumns, 'server'],
    check: ({ answer, ids: { certificateId } }) =>
      expect(answer).toMatchObject([{ certificateId, privateKey: 'certificate key', server: { serverId: 'srv_1' } }]),
  },
};

const model = { name: 'helper', apiUrl: 'https://helper.example.test/v1', apiKey: 'helper-key', model: 'large' };
const prepared = { name: 'prepared', apiUrl: 'https://models.example.test/v1', apiKey: 'model-key', isEnabled: true };

/** The 9 endpoints of the `ai` group. */
const ai: Readonly<Record<string, EndpointCase>> = {
  'ai.one': {
    input: ({ aiId }) => ({ aiId }),
    has: aiColumns,
    check: ({ answer }) => expect(answer).toMatchObject(prepared),
  },
  'ai.getModels': {
    input: { apiUrl: 'https://models.example.test/v1', apiKey: 'model-key' },
    has: ['id', 'object', 'created', 'owned_by'],
    check: ({ answer }) => expect(answer).toMatchObject([{ id: 'model-large', object: 'model' }, {}]),
  },
  'ai.create': {
    input: { ...model, isEnabled: false },
    async check({ answer, call }) {
      expect(answer).toEqual([]);
      expect(await call('ai.getAll')).toContainEqual(expect.objectContaining({ ...model, isEnabled: false }));
    },
  },
  // An upsert: it makes what it does not find.
  'ai.update': {
    input: ({ aiId }) => ({ aiId, ...model, isEnabled: false }),
    async check({ answer, call, ids: { aiId } }) {
      expect(answer).toEqual([]);
      expect(await call('ai.one', { aiId })).toMatchObject({ ...model, isEnabled: false });
      await call('ai.update', { aiId: 'unknown', ...model, isEnabled: true });
      expect(await call('ai.one', { aiId: 'unknown' })).toMatchObject(model);
    },
  },
  'ai.getAll': {
    has: aiColumns,
    check: ({ answer, ids: { aiId } }) => expect(answer).toMatchObject([{ aiId, ...prepared }]),
  },
  'ai.get': {
    input: ({ aiId }) => ({ aiId }),
    has: aiColumns,
    check: ({ answer }) => expect(answer).toMatchObject(prepared),
  },
  'ai.delete': {
    input: ({ aiId }) => ({ aiId }),
    async check({ answer, call }) {
      expect(answer).toEqual([]);
      expect(await call('ai.getAll')).toEqual([]);
      expect(await call('ai.delete', { aiId: 'unknown' })).toEqual([]);
    },
  },
  'ai.suggest': {
    input: ({ aiId }) => ({ aiId, input: 'a static site' }),
    has: ['id', 'name', 'dockerCompose', 'envVariables', 'domains', 'configFiles'],
    check: ({ answer }) => expect(answer).toMatchObject([{ id: 'static-site' }]),
  },
  // It makes a compose and does not say which.
  'ai.deploy': {
    input: ({ environmentId }) => ({
      environmentId,
      id: 'site',
      name: 'suggested',
      description: 'an nginx',
      dockerCompose: 'services:\n  web:\n    image: nginx:1.27\n',
      envVariables: 'TITLE=Site\n',
      domains: [{ host: 'site.example.test', port: 80, serviceName: 'web' }],
      configFiles: [{ filePath: 'index.html', content: '<h1>Site</h1>' }],
    }),
    async check({ answer, call, ids: { environmentId } }) {
      expect(answer).toBeNull();
      const found = row(await call('environment.one', { environmentId }))['compose'];
      const composeId = rows(found).find(({ name }) => name === 'suggested')?.['composeId'];
      expect(await call('compose.one', { composeId })).toMatchObject({
        sourceType: 'raw',
        env: 'TITLE=Site\n',
        isolatedDeployment: true,
        domains: [{ host: 'site.example.test', serviceName: 'web' }],
        mounts: [{ type: 'file', filePath: 'index.html' }],
      });
    },
  },
};

/** The 8 endpoints of the `organization` group. */
const organization: Readonly<Record<string, EndpointCase>> = {
  'organization.create': {
    input: { name: 'Third', logo: 'https://example.test/logo.svg' },
    has: organizationColumns,
    async check({ answer, call }) {
      expect(answer).toMatchObject({ name: 'Third', logo: 'https://example.test/logo.svg', ownerId: 'user_1' });
      const { id } = row(answer);
      expect(await call('organization.all')).toContainEqual(expect.objectContaining({ id, name: 'Third' }));
    },
  },
  'organization.all': {
    has: [...organizationColumns, 'members'],
    check: ({ answer }) =>
      expect(answer).toMatchObject([
        { id: 'org_1', members: [{ userId: 'user_1', role: 'owner' }] },
        { id: 'org_2', members: [{ userId: 'user_1' }] },
      ]),
  },
  'organization.one': {
    input: { organizationId: 'org_1' },
    has: organizationColumns,
    async check({ answer, call }) {
      expect(answer).toMatchObject({ id: 'org_1', name: 'Organization' });
      await expect(call('organization.one', { organizationId: 'x' })).rejects.toMatchObject({ status: 403 });
    },
  },
  'organization.update': {
    input: { organizationId: 'org_1', name: 'Renamed', defaultRole: 'admin' },
    has: organizationColumns,
    async check({ answer, call }) {
      expect(answer).toMatchObject({ name: 'Renamed', defaultRole: 'admin' });
      expect(await call('organization.one', { organizationId: 'org_1' })).toMatchObject({ name: 'Renamed' });
    },
  },
  'organization.delete': {
    input: { organizationId: 'org_2' },
    async check({ answer, call }) {
      expect(answer).toEqual([]);
      expect(rows(await call('organization.all')).map(({ id }) => id)).toEqual(['org_1']);
    },
  },
  'organization.allInvitations': {
    has: ['id', 'organizationId', 'email', 'role', 'status', 'expiresAt', 'inviterId', 'createdAt'],
    check: ({ answer }) => expect(answer).toMatchObject([{ id: 'inv_1', email: 'new@example.test' }]),
  },
  'organization.removeInvitation': {
    input: { invitationId: 'inv_1' },
    async check({ answer, call }) {
      expect(answer).toEqual([]);
      expect(await call('organization.allInvitations')).toEqual([]);
    },
  },
  'organization.setDefault': {
    input: { organizationId: 'org_2' },
    has: ['success'],
    async check({ answer, call }) {
      expect(answer).toEqual({ success: true });
      const members = rows(await call('organization.all')).map((item) => rows(item['members'])[0]);
      expect(members.map((member) => member?.['isDefault'])).toEqual([false, true]);
    },
  },
};

/** The 4 endpoints of the `billing` group. */
const billing: Readonly<Record<string, EndpointCase>> = {
  'stripe.getProducts': {
    has: [
      ...names('products subscriptions hobbyProductId startupProductId currentPlan isAnnualCurrent currentPriceAmount'),
    ],
    check: ({ answer }) =>
      expect(row(answer)['products']).toMatchObject([{ id: 'prod_hobby' }, { id: 'prod_startup' }]),
  },
  'stripe.createCheckoutSession': {
    input: { tier: 'startup', productId: 'prod_startup', serverQuantity: 3, isAnnual: false },
    has: ['sessionId'],
    async check({ answer, call }) {
      expect(row(answer)['sessionId']).toEqual(expect.any(String));
      const fewer = { tier: 'startup', productId: 'prod_startup', serverQuantity: 2, isAnnual: false };
      await expect(call('stripe.createCheckoutSession', fewer)).rejects.toMatchObject({ status: 400 });
    },
  },
  'stripe.createCustomerPortalSession': {
    has: ['url'],
    check: ({ answer }) => expect(row(answer)['url']).toMatch(/^https:/),
  },
  'stripe.canCreateMoreServers': { check: ({ answer }) => expect(answer).toBe(true) },
};

/** The 37 endpoints of what an organization owns, and of itself. */
export const organizationCases: Readonly<Record<string, EndpointCase>> = {
  ...environment,
  ...sshKey,
  ...certificates,
  ...ai,
  ...organization,
  ...billing,
};
