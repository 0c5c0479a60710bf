import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, serviceNetworks, status, stringList } from '../values.ts';

const composeType = z.enum(['docker-compose', 'stack']);
const composeSourceType = z.enum(['git', 'github', 'gitlab', 'bitbucket', 'gitea', 'raw']);

/** The 19 operations of the `compose` group. */
export const compose = {
  'compose.create': post(() => ({
    name: z.string().min(1),
    description: z.string().nullable().optional(),
    environmentId: z.string(),
    composeType: composeType.optional(),
    appName: appName.optional(),
    serverId: z.string().nullable().optional(),
    composeFile: z.string().optional(),
    sourceType: composeSourceType.optional(),
  })),
  'compose.one': get(() => ({
    composeId: z.string().min(1),
  })),
  'compose.update': post(() => ({
    composeId: z.string(),
    name: z.string().min(1).optional(),
    appName: appName.optional(),
    description: z.string().nullable().optional(),
    env: z.string().nullable().optional(),
    composeFile: z.string().optional(),
    refreshToken: z.string().nullable().optional(),
    sourceType: composeSourceType.optional(),
    composeType: composeType.optional(),
    repository: z.string().nullable().optional(),
    owner: z.string().nullable().optional(),
    branch: z.string().nullable().optional(),
    autoDeploy: z.boolean().nullable().optional(),
    gitlabProjectId: z.number().nullable().optional(),
    gitlabRepository: z.string().nullable().optional(),
    gitlabOwner: z.string().nullable().optional(),
    gitlabBranch: z.string().nullable().optional(),
    gitlabPathNamespace: z.string().nullable().optional(),
    bitbucketRepository: z.string().nullable().optional(),
    bitbucketRepositorySlug: z.string().nullable().optional(),
    bitbucketOwner: z.string().nullable().optional(),
    bitbucketBranch: z.string().nullable().optional(),
    giteaRepository: z.string().nullable().optional(),
    giteaOwner: z.string().nullable().optional(),
    giteaBranch: z.string().nullable().optional(),
    customGitUrl: z.string().nullable().optional(),
    customGitBranch: z.string().nullable().optional(),
    customGitSSHKeyId: z.string().nullable().optional(),
    command: z.string().optional(),
    createEnvFile: z.boolean().optional(),
    enableSubmodules: z.boolean().optional(),
    composePath: z.string().min(1).optional(),
    suffix: z.string().optional(),
    randomize: z.boolean().optional(),
    isolatedDeployment: z.boolean().optional(),
    isolatedDeploymentsVolume: z.boolean().optional(),
    triggerType: z.string().nullable().optional(),
    composeStatus: status.optional(),
    icon: z.string().nullable().optional(),
    environmentId: z.string().optional(),
    createdAt: z.string().optional(),
    watchPaths: stringList.nullable().optional(),
    githubId: z.string().nullable().optional(),
    gitlabId: z.string().nullable().optional(),
    bitbucketId: z.string().nullable().optional(),
    giteaId: z.string().nullable().optional(),
    serviceNetworks: serviceNetworks().nullable().optional(),
  })),
  'compose.delete': post(() => ({
    composeId: z.string().min(1),
    deleteVolumes: z.boolean(),
  })),
  'compose.cleanQueues': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.killBuild': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.loadServices': get(() => ({
    composeId: z.string().min(1),
    type: z.enum(['fetch', 'cache']).default('cache'),
  })),
  'compose.loadMountsByService': get(() => ({
    composeId: z.string().min(1),
    serviceName: z.string().min(1),
  })),
  'compose.fetchSourceType': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.randomizeCompose': post(() => ({
    composeId: z.string().min(1),
    suffix: z.string().optional(),
  })),
  'compose.isolatedDeployment': post(() => ({
    composeId: z.string().min(1),
    suffix: z.string().optional(),
  })),
  'compose.getConvertedCompose': get(() => ({
    composeId: z.string().min(1),
  })),
  'compose.deploy': post(() => ({
    composeId: z.string().min(1),
    title: z.string().optional(),
    description: z.string().optional(),
    freshVolumes: z.boolean().optional(),
  })),
  'compose.redeploy': post(() => ({
    composeId: z.string().min(1),
    title: z.string().optional(),
    description: z.string().optional(),
    freshVolumes: z.boolean().optional(),
  })),
  'compose.stop': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.start': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.getDefaultCommand': get(() => ({
    composeId: z.string().min(1),
  })),
  'compose.refreshToken': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.deployTemplate': post(() => ({}), { openEnded: true }),
};
