import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { stringList } from '../values.ts';

const certificateType = z.enum(['letsencrypt', 'none', 'custom']);

/** The 9 operations of the `domain` group. */
export const domain = {
  'domain.create': post(() => ({
    host: z.string().min(1),
    path: z.string().nullable().optional(),
    port: z.number().nullable().optional(),
    customEntrypoint: z.string().nullable().optional(),
    https: z.boolean().optional(),
    applicationId: z.string().nullable().optional(),
    certificateType: certificateType.optional(),
    customCertResolver: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    serviceName: z.string().nullable().optional(),
    domainType: z.string().nullable().optional(),
    previewDeploymentId: z.string().nullable().optional(),
    internalPath: z.string().nullable().optional(),
    stripPath: z.boolean().optional(),
    middlewares: stringList.nullable().optional(),
    forwardAuthEnabled: z.boolean().optional(),
  })),
  'domain.byApplicationId': get(() => ({
    applicationId: z.string().min(1),
  })),
  'domain.byComposeId': get(() => ({
    composeId: z.string().min(1),
  })),
  'domain.generateDomain': post(() => ({
    appName: z.string(),
    serverId: z.string().optional(),
  })),
  'domain.canGenerateTraefikMeDomains': get(() => ({
    serverId: z.string(),
  })),
  'domain.update': post(() => ({
    host: z.string().min(1),
    domainId: z.string(),
    enabled: z.boolean().optional(),
    path: z.string().nullable().optional(),
    port: z.number().nullable().optional(),
    customEntrypoint: z.string().nullable().optional(),
    https: z.boolean().optional(),
    certificateType: certificateType.optional(),
    customCertResolver: z.string().nullable().optional(),
    serviceName: z.string().nullable().optional(),
    domainType: z.string().nullable().optional(),
    internalPath: z.string().nullable().optional(),
    stripPath: z.boolean().optional(),
    middlewares: stringList.nullable().optional(),
    forwardAuthEnabled: z.boolean().optional(),
  })),
  'domain.one': get(() => ({
    domainId: z.string().min(1),
  })),
  'domain.delete': post(() => ({
    domainId: z.string().min(1),
  })),
  'domain.validateDomain': post(() => ({
    domain: z.string(),
    serverId: z.string().optional(),
  })),
};
