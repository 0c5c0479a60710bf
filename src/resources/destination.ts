import * as z from 'zod';
import { list, text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { elsewhere } from './families/backups.ts';
import { nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** A bucket that backups go to. */
export const destination = defineKind({
  kind: 'destination',
  section: 'destinations',
  alsoCalled: ['destination', 'bucket', 'buckets', 's3', 'backupdestinations', 'backup_destinations', 'storage'],
  summary: 'A bucket that backups go to, at a store that speaks S3.',
  identity: { id: 'destinationId', key: ['name'], keyField: 'name' },
  parents: inOrganization('destination.all'),
  fields: {
    name: nameField('offsite', 'archive'),
    provider: {
      schema: () => z.string().min(1).describe('Provider as rclone calls it, such as AWS, Cloudflare or Minio.'),
      codec: text,
      atCreate: null,
      examples: ['Minio', 'AWS'],
    },
    endpoint: {
      schema: () => z.string().min(1).describe('Address of the store.'),
      takesSecrets: true,
      examples: ['https://s3.example.com', 'https://s3-2.example.com'],
    },
    region: {
      schema: () => z.string().describe('Region; empty where the store has none.'),
      atCreate: '',
      takesSecrets: true,
      examples: ['eu-central-1', 'us-east-1'],
    },
    bucket: {
      schema: () => z.string().min(1).describe('Bucket.'),
      takesSecrets: true,
      examples: ['backups', 'archive'],
    },
    accessKey: {
      schema: () => z.string().min(1).describe('Id of the access key.'),
      secrecy: 'secret',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    secretAccessKey: {
      schema: () => z.string().min(1).describe('Secret of the access key.'),
      secrecy: 'secret',
      examples: ['correct-horse-3', 'battery-staple-4'],
    },
    // An update that leaves them out removes them.
    additionalFlags: {
      schema: () =>
        z
          .array(
            z
              .string()
              .regex(/^--[a-zA-Z0-9-]+(=[a-zA-Z0-9._:/@-]+)?$/, 'is no flag of rclone such as --s3-no-check-bucket'),
          )
          .describe('Flags for rclone.'),
      codec: list,
      takesSecrets: true,
      inEveryUpdate: true,
      examples: [['--s3-no-check-bucket'], ['--s3-no-check-bucket', '--s3-sign-accept-encoding=false']],
    },
  },
  operations: {
    create: 'destination.create',
    read: 'destination.one',
    update: 'destination.update',
    delete: 'destination.remove',
  },
  lifecycle: {
    createBeforeDestroy: {},
    dataAtRisk: () => ({
      of: 'data',
      what: 'all backups and volume backups that go to it: the platform deletes them with it, and keeps the files in the bucket',
    }),
    changeAtRisk: { 'backups elsewhere': { bucket: elsewhere, endpoint: elsewhere } },
  },
  commands: {
    test: {
      call: 'destination.testConnection',
      with: {
        name: 'name',
        provider: 'provider',
        accessKey: 'accessKey',
        secretAccessKey: 'secretAccessKey',
        bucket: 'bucket',
        region: 'region',
        endpoint: 'endpoint',
        additionalFlags: 'additionalFlags',
      },
      isTest: true,
    },
  },
  checks: {
    hints: {
      serverId: 'the platform stores no server for a destination; remove the line',
      secretKey: 'write secretAccessKey: …',
      accessKeyId: 'write accessKey: …',
    },
  },
  examples: [
    'offsite:\n  provider: Minio\n  endpoint: https://s3.example.com\n  bucket: backups\n  accessKey: ${secret:S3_ACCESS_KEY}\n  secretAccessKey: ${secret:S3_SECRET_KEY}\n',
  ],
});
