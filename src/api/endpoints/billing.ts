import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 4 operations of the `billing` group. */
export const billing = {
  'billing.getProducts': get(() => ({})),
  'billing.createCheckoutSession': post(() => ({
    tier: z.enum(['legacy', 'hobby', 'startup']),
    productId: z.string(),
    serverQuantity: z.number().min(1),
    isAnnual: z.boolean(),
  })),
  'billing.createCustomerPortalSession': post(() => ({})),
  'billing.canCreateMoreServers': get(() => ({})),
};
