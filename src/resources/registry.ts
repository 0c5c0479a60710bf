import * as z from 'zod';
import { text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** A registry of images that the platform is logged in to. */
export const registry = defineKind({
  kind: 'registry',
  section: 'registries',
  alsoCalled: ['registry', 'dockerregistry', 'dockerregistries', 'docker_registries', 'containerregistries'],
  summary: 'A registry of images that the platform is logged in to.',
  identity: { id: 'registryId', key: ['registryName'], keyField: 'registryName' },
  parents: inOrganization('registry.all', { registryType: { value: 'cloud' } }),
  fields: {
    registryName: { ...nameField('images', 'mirror'), alsoWritten: 'name' },
    registryUrl: {
      schema: () =>
        z
          .string()
          .regex(/^[^/\s]*$/, 'is a host, with a port where it has one: no scheme and no path')
          .describe(
            'Host and port of the registry; empty for Docker Hub. A deletion logs out of it, also for others with it.',
          ),
      alsoWritten: 'url',
      takesSecrets: true,
      atCreate: '',
      examples: ['registry.test.net', 'registry.test.net:5000'],
    },
    username: {
      schema: () =>
        z
          .string()
          .min(1)
          .refine((name) => name.trim() === name, 'has blanks around it, which the platform removes')
          .describe('User to log in as.'),
      takesSecrets: true,
      examples: ['reader', 'deployer'],
    },
    password: {
      schema: () => z.string().min(1).describe('Password or token of the user.'),
      secrecy: 'secret',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    imagePrefix: {
      schema: () => z.string().min(1).describe('What stands before the name of each image that is pushed there.'),
      codec: text,
      atCreate: null,
      examples: ['team', 'team/shop'],
    },
  },
  operations: {
    create: 'registry.create',
    read: 'registry.one',
    readMore: 'registry.all', // with the password, which registry.one hides
    update: 'registry.update',
    delete: 'registry.remove',
  },
  lifecycle: {
    createBeforeDestroy: {},
    dataAtRisk: () => ({ of: 'data', what: 'the login to it; what uses it loses it, in other projects too' }),
  },
  commands: { test: { call: 'registry.testRegistryById', isTest: true } },
  checks: {
    hints: {
      registryType: 'the platform has one type only, cloud; remove the line',
      serverId: 'the platform logs in at once and stores no server; remove the line',
    },
  },
  examples: ['images: { registryUrl: registry.test.net, username: reader, password: "${secret:REGISTRY_PASSWORD}" }\n'],
});
