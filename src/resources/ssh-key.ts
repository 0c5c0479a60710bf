import * as z from 'zod';
import { trimmed } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { description, nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

const onlyCopy = 'the key pair, of which the platform may have the only copy';

/** A key pair that repositories are fetched and servers are reached with. */
export const sshKey = defineKind({
  kind: 'sshKey',
  section: 'sshKeys',
  alsoCalled: ['ssh_keys', 'ssh-keys', 'sshkey', 'deploykeys'],
  summary: 'A key pair that repositories are fetched and servers are reached with.',
  identity: { id: 'sshKeyId', key: ['publicKey'], keyField: 'name', idFrom: 'list' },
  parents: inOrganization('sshKey.all', { organizationId: { context: 'organizationId' } }),
  fields: {
    name: nameField('deploy', 'mirror'),
    description,
    publicKey: {
      schema: () =>
        z
          .string()
          .regex(/^ssh-(rsa|ed25519) /, 'is no public key: it begins with ssh-rsa or ssh-ed25519')
          .describe('Public half, in one line. A new pair is a new key: what uses the old one is repointed.'),
      codec: trimmed,
      onChange: 'replace',
      examples: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB1 shop', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB2 shop'],
    },
    privateKey: {
      schema: () =>
        z
          .string()
          .regex(
            /^-----BEGIN (RSA|OPENSSH) PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END \1 PRIVATE KEY-----\s*$/,
            'is no private key in the PEM form of RSA or OpenSSH',
          )
          .describe('Private half, as text in PEM form.'),
      secrecy: 'secret',
      onChange: 'replace',
      examples: [
        '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
        '-----BEGIN OPENSSH PRIVATE KEY-----\ndHdv\n-----END OPENSSH PRIVATE KEY-----\n',
      ],
    },
  },
  operations: { create: 'sshKey.create', read: 'sshKey.one', update: 'sshKey.update', delete: 'sshKey.remove' },
  lifecycle: {
    createBeforeDestroy: {},
    // The pair that replaces it is in the manifest.
    dataAtRisk: ({ action }) =>
      action === 'replace'
        ? undefined
        : { of: 'data', what: `${onlyCopy}; what uses it loses it, in other projects too` },
  },
  examples: [
    'deploy:\n  publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0 shop\n  privateKey: ${secret:DEPLOY_KEY}\n',
  ],
});
