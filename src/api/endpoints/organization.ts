import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 8 operations of the `organization` group. */
export const organization = {
  'organization.create': post(() => ({
    name: z.string().min(1),
    logo: z.string().optional(),
  })),
  'organization.all': get(() => ({})),
  'organization.one': get(() => ({
    organizationId: z.string(),
  })),
  'organization.update': post(() => ({
    organizationId: z.string(),
    name: z.string().min(1),
    logo: z.string().optional(),
    defaultRole: z.string().nullable().optional(),
  })),
  'organization.delete': post(() => ({
    organizationId: z.string(),
  })),
  'organization.allInvitations': get(() => ({})),
  'organization.removeInvitation': post(() => ({
    invitationId: z.string(),
  })),
  'organization.setDefault': post(() => ({
    organizationId: z.string().min(1),
  })),
};
