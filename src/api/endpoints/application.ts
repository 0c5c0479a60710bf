import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, branch, stringList } from '../values.ts';

/** The 17 operations of the `application` group. */
export const application = {
  'application.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    description: z.string().nullable().optional(),
    environmentId: z.string(),
    serverId: z.string().nullable().optional(),
    sourceType: z.enum(['github', 'docker', 'git', 'gitlab', 'bitbucket', 'gitea', 'drop']).optional(),
  })),
  'application.one': get(() => ({
    applicationId: z.string().min(1),
  })),
  'application.reload': post(() => ({
    appName,
    applicationId: z.string(),
  })),
  'application.delete': post(() => ({
    applicationId: z.string().min(1),
  })),
  'application.stop': post(() => ({
    applicationId: z.string().min(1),
  })),
  'application.start': post(() => ({
    applicationId: z.string().min(1),
  })),
  'application.redeploy': post(() => ({
    applicationId: z.string().min(1),
    title: z.string().optional(),
    description: z.string().optional(),
  })),
  'application.saveEnvironment': post(() => ({
    applicationId: z.string(),
    env: z.string().nullable(),
    buildArgs: z.string().nullable(),
    buildSecrets: z.string().nullable(),
    createEnvFile: z.boolean(),
  })),
  'application.saveBuildType': post(() => ({
    applicationId: z.string(),
    buildType: z.enum(['dockerfile', 'heroku_buildpacks', 'paketo_buildpacks', 'nixpacks', 'static', 'railpack']),
    dockerfile: z.string().nullable(),
    dockerContextPath: z.string().nullable(),
    dockerBuildStage: z.string().nullable(),
    herokuVersion: z.string().nullable(),
    railpackVersion: z.string().nullable(),
    publishDirectory: z.string().nullable().optional(),
    isStaticSpa: z.boolean().nullable().optional(),
  })),
  'application.saveGithubProvider': post(() => ({
    applicationId: z.string(),
    repository: z.string().nullable(),
    owner: z.string().nullable(),
    buildPath: z.string().nullable(),
    githubId: z.string().nullable(),
    branch,
    triggerType: z.enum(['push', 'tag']).default('push'),
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveGitlabProvider': post(() => ({
    applicationId: z.string(),
    gitlabBuildPath: z.string().nullable(),
    gitlabOwner: z.string().nullable(),
    gitlabRepository: z.string().nullable(),
    gitlabId: z.string().nullable(),
    gitlabPathNamespace: z.string().nullable(),
    gitlabProjectId: z.number().nullable(),
    gitlabBranch: branch,
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveBitbucketProvider': post(() => ({
    bitbucketBuildPath: z.string().nullable(),
    bitbucketOwner: z.string().nullable(),
    bitbucketRepository: z.string().nullable(),
    bitbucketRepositorySlug: z.string().nullable(),
    bitbucketId: z.string().nullable(),
    applicationId: z.string(),
    bitbucketBranch: branch,
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveGiteaProvider': post(() => ({
    applicationId: z.string(),
    giteaBuildPath: z.string().nullable(),
    giteaOwner: z.string().nullable(),
    giteaRepository: z.string().nullable(),
    giteaId: z.string().nullable(),
    giteaBranch: branch,
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveDockerProvider': post(() => ({
    dockerImage: z.string().nullable(),
    username: z.string().nullable(),
    password: z.string().nullable(),
    registryUrl: z.string().nullable(),
    applicationId: z.string(),
  })),
  'application.saveGitProvider': post(() => ({
    applicationId: z.string(),
    customGitBuildPath: z.string().nullable(),
    customGitUrl: z.string().nullable(),
    watchPaths: z.array(z.string()).nullable(),
    enableSubmodules: z.boolean().optional(),
    customGitBranch: branch,
    customGitSSHKeyId: z.string().nullable().optional(),
  })),
  'application.disconnectGitProvider': post(() => ({
    applicationId: z.string().min(1),
  })),
  'application.markRunning': post(
    () => ({
      applicationId: z.string(),
    }),
    { openEnded: true },
  ),
};
