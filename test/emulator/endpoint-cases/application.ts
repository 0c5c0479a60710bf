import { expect } from 'vitest';
import { until } from '../caller.ts';
import { columnsOf, names, notFound, row, rows, type EndpointCase } from './endpoint-case.ts';

const columns = [
  ...columnsOf([
    'application.create',
    'application.saveEnvironment',
    'application.saveBuildType',
    'application.saveGithubProvider',
    'application.saveGitlabProvider',
    'application.saveBitbucketProvider',
    'application.saveGiteaProvider',
    'application.saveDockerProvider',
    'application.saveGitProvider',
  ]),
  ...names('applicationStatus refreshToken createdAt replicas command autoDeploy previewLimit'),
];
const whole = [
  ...columns,
  ...names(
    'environment domains deployments mounts redirects security ports github gitlab bitbucket gitea server previewDeployments registry buildRegistry rollbackRegistry',
  ),
];

/** A source that is saved: it is the source from then on, its fields are kept, and the application counts as idle. */
function source(operation: string, sourceType: string, fields: Readonly<Record<string, unknown>>): EndpointCase {
  return {
    input: ({ applicationId }) => ({ applicationId, ...fields }),
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer, operation).toBe(true);
      const saved = { ...fields, sourceType, applicationStatus: 'idle' };
      expect(await call('application.one', { applicationId })).toMatchObject(saved);
    },
  };
}

/** The 17 endpoints of the `application` group. */
export const application: Readonly<Record<string, EndpointCase>> = {
  'application.create': {
    input: ({ environmentId }) => ({ environmentId, name: 'site', appName: 'Site', description: 'pages' }),
    has: columns,
    async check({ answer, call, ids: { environmentId } }) {
      expect(answer).toMatchObject({ name: 'site', description: 'pages', applicationStatus: 'idle', environmentId });
      expect(row(answer)['appName']).toMatch(/^site-[a-z0-9]{6}$/);
      expect(Object.keys(row(answer))).toHaveLength(101);
      const { applications } = row(await call('environment.one', { environmentId }));
      expect(applications).toContainEqual(
        expect.objectContaining({ applicationId: row(answer)['applicationId'], name: 'site' }),
      );
    },
  },
  'application.one': {
    input: ({ applicationId }) => ({ applicationId }),
    has: [...whole, 'hasGitProviderAccess', 'unauthorizedProvider'],
    check: ({ answer, ids: { domainId, mountId } }) =>
      expect(answer).toMatchObject({
        dockerImage: 'nginx:1.27',
        applicationStatus: 'done',
        environment: { environmentId: 'env_prj_1', project: { projectId: 'prj_1' } },
        domains: [{ domainId }],
        mounts: [{ mountId }],
        deployments: [{ status: 'done' }],
      }),
  },
  'application.reload': {
    input: ({ applicationId }) => ({ applicationId, appName: 'ignored' }),
    before: ({ call, ids: { applicationId } }) => call('application.stop', { applicationId }),
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer).toBe(true);
      const one = row(await call('application.one', { applicationId }));
      expect(one['applicationStatus']).toBe('done');
      expect(one['appName']).not.toBe('ignored');
    },
  },
  'application.delete': {
    input: ({ applicationId }) => ({ applicationId }),
    has: whole,
    async check({ answer, call, ids: { applicationId, domainId } }) {
      expect(answer).toMatchObject({ applicationId, domains: [{ domainId }] });
      await expect(call('application.one', { applicationId })).rejects.toMatchObject(notFound);
      await expect(call('domain.one', { domainId })).rejects.toMatchObject(notFound);
    },
  },
  'application.stop': {
    input: ({ applicationId }) => ({ applicationId }),
    has: whole,
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer).toMatchObject({ applicationStatus: 'done' });
      expect(await call('application.one', { applicationId })).toMatchObject({ applicationStatus: 'idle' });
    },
  },
  'application.start': {
    input: ({ applicationId }) => ({ applicationId }),
    has: whole,
    before: ({ call, ids: { applicationId } }) => call('application.stop', { applicationId }),
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer).toMatchObject({ applicationStatus: 'idle' });
      expect(await call('application.one', { applicationId })).toMatchObject({ applicationStatus: 'done' });
    },
  },
  'application.redeploy': {
    input: ({ applicationId }) => ({ applicationId, title: 'once more', description: 'by hand' }),
    check: ({ call, ids: { applicationId } }) =>
      until(async () => {
        const { deployments } = row(await call('application.one', { applicationId }));
        const found = rows(deployments).find(({ title }) => title === 'once more');
        return found?.['status'] === 'done' && found['description'] === 'by hand';
      }),
  },
  'application.saveEnvironment': {
    input: ({ applicationId }) => ({
      applicationId,
      env: 'A=1\n',
      buildArgs: 'B=2\n',
      buildSecrets: null,
      createEnvFile: false,
    }),
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer).toBe(true);
      const saved = { env: 'A=1\n', buildArgs: 'B=2\n', buildSecrets: null, createEnvFile: false };
      expect(await call('application.one', { applicationId })).toMatchObject({ ...saved, applicationStatus: 'done' });
    },
  },
  'application.saveBuildType': {
    input: ({ applicationId }) => ({
      applicationId,
      buildType: 'static',
      dockerfile: null,
      dockerContextPath: null,
      dockerBuildStage: null,
      herokuVersion: null,
      railpackVersion: null,
      publishDirectory: 'dist',
      isStaticSpa: true,
    }),
    async check({ answer, call, ids: { applicationId } }) {
      expect(answer).toBe(true);
      const saved = { buildType: 'static', publishDirectory: 'dist', isStaticSpa: true, applicationStatus: 'done' };
      expect(await call('application.one', { applicationId })).toMatchObject(saved);
    },
  },
  'application.saveGithubProvider': source('saveGithubProvider', 'github', {
    repository: 'shop',
    owner: 'acme',
    buildPath: '/',
    githubId: 'hub_1',
    branch: 'main',
    triggerType: 'tag',
    enableSubmodules: true,
    watchPaths: ['src/**'],
  }),
  'application.saveGitlabProvider': source('saveGitlabProvider', 'gitlab', {
    gitlabBuildPath: '/',
    gitlabOwner: 'acme',
    gitlabRepository: 'shop',
    gitlabId: 'lab_1',
    gitlabPathNamespace: 'acme/shop',
    gitlabProjectId: 1,
    gitlabBranch: 'main',
    watchPaths: ['src/**'],
  }),
  'application.saveBitbucketProvider': source('saveBitbucketProvider', 'bitbucket', {
    bitbucketBuildPath: '/',
    bitbucketOwner: 'acme',
    bitbucketRepository: 'shop',
    bitbucketRepositorySlug: 'shop',
    bitbucketId: 'bkt_1',
    bitbucketBranch: 'main',
    enableSubmodules: true,
  }),
  'application.saveGiteaProvider': source('saveGiteaProvider', 'gitea', {
    giteaBuildPath: '/',
    giteaOwner: 'acme',
    giteaRepository: 'shop',
    giteaId: 'sfg_1',
    giteaBranch: 'release/2.0_rc#1',
  }),
  'application.saveDockerProvider': source('saveDockerProvider', 'docker', {
    dockerImage: 'nginx:1.28',
    username: 'reader',
    password: 'registry-horse-1',
    registryUrl: 'registry.example.test',
  }),
  'application.saveGitProvider': source('saveGitProvider', 'git', {
    customGitBuildPath: '/web',
    customGitUrl: 'git@git.example.test:shop.git',
    watchPaths: null,
    customGitBranch: 'main',
    customGitSSHKeyId: 'key_1',
  }),
  'application.disconnectGitProvider': {
    input: ({ gitApplicationId }) => ({ applicationId: gitApplicationId }),
    async check({ answer, call, ids: { gitApplicationId } }) {
      expect(answer).toBe(true);
      const cleared = { customGitUrl: null, customGitBranch: null, customGitBuildPath: null, watchPaths: null };
      expect(await call('application.one', { applicationId: gitApplicationId })).toMatchObject({
        ...cleared,
        sourceType: 'github',
        applicationStatus: 'idle',
      });
    },
  },
  'application.markRunning': {
    input: ({ applicationId }) => ({ applicationId }),
    check: async ({ call, ids: { applicationId } }) =>
      expect(await call('application.one', { applicationId })).toMatchObject({ applicationStatus: 'running' }),
  },
};
