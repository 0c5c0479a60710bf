import * as z from 'zod';
import type { CheckedResource } from '../kind/checks.ts';
import { type Kind, defineKind } from '../kind/kind.ts';
import { madeUpName } from '../kind/value-forms.ts';
import { fieldOf } from '../kind/row-values.ts';
import { onServer } from './families/named-ids.ts';
import { nestedPaths } from './families/nested-paths.ts';
import { nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** The platform deletes a certificate by `rm -rf` of its folder, in a shell. Source: its services/certificate.ts. */
const ownFolder = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** The kind where the platform cannot change a certificate: any change makes a new one. */
function replacedWhole(kind: Kind): Kind {
  const fields = ['name', 'certificateData', 'privateKey'].map((name) => {
    return [name, { ...fieldOf(kind, name), onChange: 'replace' }] as const;
  });
  return { ...kind, fields: { ...kind.fields, ...Object.fromEntries(fields) } };
}

/** A TLS certificate of one's own for the proxy. */
export const certificate = defineKind({
  kind: 'certificate',
  section: 'certificates',
  alsoCalled: ['certs', 'tls'],
  summary: 'A TLS certificate of one’s own for the proxy.',
  identity: { id: 'certificateId', key: ['name'], keyField: 'name' },
  parents: inOrganization('certificates.all', { organizationId: { context: 'organizationId' } }),
  fields: {
    name: nameField('shop', 'store'),
    certificateData: {
      schema: () => z.string().min(1).describe('Certificate with its chain, as text in PEM form.'),
      secrecy: 'private',
      savedAs: 'certificate.crt',
      examples: [
        '-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----\n',
        '-----BEGIN CERTIFICATE-----\ndHdv\n-----END CERTIFICATE-----\n',
      ],
    },
    privateKey: {
      schema: () => z.string().min(1).describe('Private key, as text in PEM form.'),
      secrecy: 'secret',
      examples: [
        '-----BEGIN PRIVATE KEY-----\nb25l\n-----END PRIVATE KEY-----\n',
        '-----BEGIN PRIVATE KEY-----\ndHdv\n-----END PRIVATE KEY-----\n',
      ],
    },
    certificatePath: {
      schema: () =>
        z
          .string()
          .regex(
            ownFolder,
            'must be a folder below that of all certificates, without "..", blanks and signs of the shell',
          )
          .describe(
            'Folder of its files; the platform makes one up. No two may have the same, and none may hold another.',
          ),
      madeUp: madeUpName,
      onChange: 'replace',
      examples: ['shop', 'store'],
    },
    autoRenew: {
      schema: () => z.boolean().describe('Stored by the platform, which never reads it.'),
      onChange: 'replace',
      examples: [true, false],
    },
    serverId: onServer('Server whose proxy uses it, or none for the one of the platform'),
  },
  operations: {
    create: 'certificates.create',
    read: 'certificates.one',
    update: 'certificates.update',
    delete: 'certificates.remove',
  },
  without: { 'certificates.update': replacedWhole },
  lifecycle: {
    createBeforeDestroy: { unless: 'certificatePath' },
  },
  checks: { all: (all) => nestedPaths(all, 'certificatePath', holdsAnother) },
  examples: ['shop:\n  certificateData: ${secret:SHOP_CERTIFICATE}\n  privateKey: ${secret:SHOP_CERTIFICATE_KEY}\n'],
});

function holdsAnother({ values, shown }: CheckedResource, inner: string): string {
  const path = shown(String(values['certificatePath']));
  return `the folder ${path} holds that of ${inner}, which the platform deletes together with this certificate`;
}
