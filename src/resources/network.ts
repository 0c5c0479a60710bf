import * as z from 'zod';
import { json } from '../kind/codecs.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import { inOrganization } from './families/parent-links.ts';

/** Docker changes no network, and deletes none that a container is in. */
const fixed = {
  onChange: {
    refuse: 'docker cannot change a network; declare another one, and lead its services there',
  },
} as const;

const flag = (what: string, otherwise: boolean): Field => ({
  schema: () => z.boolean().describe(what),
  otherwise,
  ...fixed,
  examples: [!otherwise, otherwise],
});

const subnet = () =>
  z
    .string()
    .refine(
      (text) => z.union([z.cidrv4(), z.cidrv6()]).safeParse(text).success,
      'is not a network such as 10.20.0.0/16',
    );

const ip = () =>
  z.string().refine((text) => z.union([z.ipv4(), z.ipv6()]).safeParse(text).success, 'is not an IP address');

const addresses = () =>
  z.strictObject({
    driver: z.string().optional(),
    config: z
      .array(
        z
          .strictObject({
            subnet: subnet().optional(),
            gateway: ip().optional(),
            ipRange: subnet().optional(),
          })
          .refine(({ subnet: own, gateway, ipRange }) => own !== undefined || (gateway ?? ipRange) === undefined, {
            message: 'needs a subnet, which gateway and ipRange are part of',
          }),
      )
      .optional(),
  });

/** A network of docker that services join. Source of the facts: the network router of the platform. */
export const network = defineKind({
  kind: 'network',
  section: 'networks',
  alsoCalled: ['network', 'nets', 'net', 'dockernetworks'],
  summary: 'A network of docker on the server of the platform, or on the server above it, which services join.',
  identity: { id: 'networkId', key: ['name'], keyField: 'name' },
  parents: {
    // Without a server the platform lists only those of its own machine.
    ...inOrganization('network.all'),
    server: {
      listed: { call: 'network.all', with: { serverId: { parent: 'id' } } },
      rows: { without: [] },
      set: { serverId: { parent: 'id' } },
      idAt: 'serverId',
    },
  },
  fields: {
    name: {
      schema: () =>
        z
          .string()
          .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be a letter or digit, then letters, digits, dots, hyphens, underscores')
          .describe('Name that docker has for it; the key of the block by default.'),
      ...fixed,
      examples: ['back', 'front'],
    },
    driver: {
      schema: () => z.enum(['bridge', 'overlay']).describe('What it spans.'),
      words: {
        bridge: 'One machine. Only a compose can join it.',
        overlay: 'All nodes of the swarm. Applications and databases join only these.',
      },
      otherwise: 'bridge',
      ...fixed,
      examples: ['overlay', 'bridge'],
    },
    internal: flag('Whether nothing in it reaches the outside.', false),
    attachable: flag(
      'Whether containers outside of the swarm, such as those of a compose, may join an overlay.',
      false,
    ),
    enableIPv4: flag('Whether it has IPv4 addresses.', true),
    enableIPv6: flag('Whether it has IPv6 addresses.', false),
    mtu: {
      schema: () => z.number().int().min(68).max(65_535).describe('Largest packet, in bytes.'),
      ...fixed,
      examples: [1400, 1500],
    },
    ipam: {
      schema: () => addresses().describe('Its addresses; docker chooses them by default.'),
      codec: json,
      onNull: { value: {} },
      ...fixed,
      examples: [
        { config: [{ subnet: '10.20.0.0/16' }] },
        { config: [{ subnet: '10.21.0.0/16', gateway: '10.21.0.1' }] },
      ],
    },
  },
  operations: { create: 'network.create', read: 'network.one', delete: 'network.remove' },
  lifecycle: { unique: 'name' },
  commands: { recreate: { call: 'network.recreate' } },
  checks: { each: withAddresses },
  examples: ['back: { driver: overlay, attachable: true, enableIPv6: true }\n'],
});

/** A network has addresses of one sort at least. */
function withAddresses({ address, values }: CheckedResource): readonly Problem[] {
  if (values['enableIPv4'] !== false || values['enableIPv6'] === true) return [];
  const message = 'a network has IPv4 or IPv6 addresses, and this one turns both off';
  return [
    {
      code: 'inconsistent',
      address,
      field: 'enableIPv4',
      message,
      remedy: 'Write enableIPv6: true, or enableIPv4: true.',
    },
  ];
}
