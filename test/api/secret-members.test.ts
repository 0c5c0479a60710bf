import { describe, expect, it } from 'vitest';
import { consequenceOf } from '../../src/api/consequences.ts';
import { contract, endpointOf, isOperation } from '../../src/api/contract.ts';
import { isSecretMember } from '../../src/api/secret-members.ts';
import { tables } from '../../src/emulator/tables.ts';

const operations = Object.keys(contract).filter(isOperation);
const members = new Set([
  ...operations.flatMap((operation) => Object.keys(endpointOf(operation).input.shape)),
  ...Object.values(tables).flatMap(({ columns }) => Object.keys(columns)),
]);

describe('the members of all inputs and rows', () => {
  it('are known to be secret or not, as far as their names sound secret', () => {
    const sounding = [...members].filter((name) => /secret|pass|token|key|cred|hash|metadata|content/i.test(name));
    expect(sounding.filter((name) => !isSecretMember(name)).toSorted()).toEqual([
      'apiKeyId',
      'canAccessToSSHKeys',
      'customGitSSHKeyId',
      'includeEncryptionKey',
      'publicKey',
      'sshKeyId',
      'uniqueConfigKey',
    ]);
  });

  it('are secret where people write secrets into them', () => {
    const free = [
      'env',
      'buildArgs',
      'buildSecrets',
      'previewEnv',
      'composeFile',
      'dockerCompose',
      'content',
      'metadata',
    ];
    expect(free.filter((name) => !isSecretMember(name))).toEqual([]);
    for (const name of ['environment', 'createEnvFile', 'composeFileName', 'name', 'toString', '__proto__']) {
      expect([name, isSecretMember(name)]).toEqual([name, false]);
    }
  });

  it('are secret by the word for it when a platform has new ones', () => {
    expect(['webhookSecret', 'smtpPassword', 'botToken', 'deployPrivateKey'].every(isSecretMember)).toBe(true);
  });
});

describe('operations that end something', () => {
  const ending = operations.filter((operation) => consequenceOf(operation, {}) !== undefined);

  it('are those with a telling name, and two with a harmless one', () => {
    const sounding = operations.filter((operation) =>
      /\.(delete|remove|rebuild|stop|move|kill|clean|disconnect|changePassword|refreshToken)/.test(operation),
    );
    expect(sounding.filter((operation) => !ending.includes(operation))).toEqual([]);
    expect(ending.filter((operation) => !sounding.includes(operation))).toEqual([
      'user.update',
      'user.assignPermissions',
    ]);
  });

  it('never only read', () => {
    expect(ending.filter((operation) => endpointOf(operation).method === 'GET')).toEqual([]);
  });

  it('depend on the input where the operation does', () => {
    expect(consequenceOf('compose.deploy', { freshVolumes: true })).toContain('volumes are deleted');
    expect(consequenceOf('compose.redeploy', { freshVolumes: false })).toBeUndefined();
    expect(consequenceOf('compose.delete', { deleteVolumes: true })).not.toBe(consequenceOf('compose.delete', {}));
  });
});
