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
    sourceType: z.enum(['hubgit', 'docker', 'git', 'labgit', 'bucketgit', 'selfgit', 'drop']).optional(),
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
    buildType: z.enum(['dockerfile', 'buildpacks_v1', 'buildpacks_v2', 'nix_builder', 'static', 'rail_builder']),
    dockerfile: z.string().nullable(),
    dockerContextPath: z.string().nullable(),
    dockerBuildStage: z.string().nullable(),
    buildpacksV1Version: z.string().nullable(),
    railBuilderVersion: z.string().nullable(),
    publishDirectory: z.string().nullable().optional(),
    isStaticSpa: z.boolean().nullable().optional(),
  })),
  'application.saveHubgitProvider': post(() => ({
    applicationId: z.string(),
    repository: z.string().nullable(),
    owner: z.string().nullable(),
    buildPath: z.string().nullable(),
    hubgitId: z.string().nullable(),
    branch,
    triggerType: z.enum(['push', 'tag']).default('push'),
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveLabgitProvider': post(() => ({
    applicationId: z.string(),
    labgitBuildPath: z.string().nullable(),
    labgitOwner: z.string().nullable(),
    labgitRepository: z.string().nullable(),
    labgitId: z.string().nullable(),
    labgitPathNamespace: z.string().nullable(),
    labgitProjectId: z.number().nullable(),
    labgitBranch: branch,
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveBucketgitProvider': post(() => ({
    bucketgitBuildPath: z.string().nullable(),
    bucketgitOwner: z.string().nullable(),
    bucketgitRepository: z.string().nullable(),
    bucketgitRepositorySlug: z.string().nullable(),
    bucketgitId: z.string().nullable(),
    applicationId: z.string(),
    bucketgitBranch: branch,
    enableSubmodules: z.boolean().optional(),
    watchPaths: stringList.nullable().optional(),
  })),
  'application.saveSelfgitProvider': post(() => ({
    applicationId: z.string(),
    selfgitBuildPath: z.string().nullable(),
    selfgitOwner: z.string().nullable(),
    selfgitRepository: z.string().nullable(),
    selfgitId: z.string().nullable(),
    selfgitBranch: branch,
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
