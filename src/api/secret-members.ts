import type { Operation } from './contract.ts';

/** Members whose value is secret, wherever they stand in an input or an answer. */
const secretMembers: ReadonlySet<string> = new Set([
  // Of databases, registries and people.
  'password',
  'currentPassword',
  'databasePassword',
  'databaseRootPassword',
  // Of git hosts.
  'clientSecret',
  'secret',
  'appPassword',
  'apiToken',
  'accessToken',
  'githubClientSecret',
  'githubPrivateKey',
  'githubWebhookSecret',
  // A token of a git host, or the one that deploys a service without a key.
  'refreshToken',
  // Of SSH keys, certificates, AI providers, destinations, licences, metrics and API keys (there a hash, too).
  'privateKey',
  'apiKey',
  'accessKey',
  'secretAccessKey',
  'licenseKey',
  // Of notifications: whoever knows the address of a webhook can write there.
  'webhookUrl',
  'userKey',
  'token',
  'key',
]);

/** Free text and JSON, in which people keep passwords beside what is none. */
const privateMembers: ReadonlySet<string> = new Set([
  'env',
  'buildArgs',
  'buildSecrets',
  'previewEnv',
  'previewBuildArgs',
  'previewBuildSecrets',
  'envVariables',
  'composeFile',
  'dockerCompose',
  'configFiles',
  'content',
  'script',
  'metadata',
  'headers',
]);

/** A platform newer than this table keeps its word for a secret. */
const looksSecret = /(password|passphrase|secret|token|privateKey|apiKey)$/i;

/** Whether the value of a member is secret, or may hold secrets. Never throws. */
export function isSecretMember(name: string): boolean {
  return secretMembers.has(name) || isPrivateMember(name) || looksSecret.test(name);
}

/** Whether the value of a member is a text that may hold secrets beside ordinary words. Never throws. */
export function isPrivateMember(name: string): boolean {
  return privateMembers.has(name);
}

/** Answers that are secret as a whole: the text of a compose file, a container with its variables, and links that log in without a password. */
export const secretAnswers: ReadonlySet<Operation> = new Set<Operation>([
  'compose.getConvertedCompose',
  'compose.isolatedDeployment',
  'docker.getConfig',
  'compose.randomizeCompose',
  'user.sendInvitation',
  'stripe.createCustomerPortalSession',
]);

/** The secret member of an answer that the platform never shows again, by operation. */
export const shownOnce: Readonly<Partial<Record<Operation, string>>> = { 'user.createApiKey': 'key' };
