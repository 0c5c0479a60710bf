import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 6 operations of the `sshKey` group. */
export const sshKey = {
  'sshKey.create': post(() => ({
    name: z.string().min(1),
    description: z.string().nullable().optional(),
    privateKey: z.string(),
    publicKey: z.string(),
    organizationId: z.string(),
  })),
  'sshKey.remove': post(() => ({
    sshKeyId: z.string(),
  })),
  'sshKey.one': get(() => ({
    sshKeyId: z.string().min(1),
  })),
  'sshKey.all': get(() => ({})),
  'sshKey.generate': post(() => ({
    type: z.enum(['rsa', 'ed25519']).optional(),
  })),
  'sshKey.update': post(() => ({
    name: z.string().min(1).optional(),
    description: z.string().nullable().optional(),
    lastUsedAt: z.string().nullable().optional(),
    sshKeyId: z.string(),
  })),
};
