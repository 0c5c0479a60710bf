import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 4 operations of the `stripe` group. */
export const stripe = {
  'stripe.getProducts': get(() => ({})),
  'stripe.createCheckoutSession': post(() => ({
    tier: z.enum(['legacy', 'hobby', 'startup']),
    productId: z.string(),
    serverQuantity: z.number().min(1),
    isAnnual: z.boolean(),
  })),
  'stripe.createCustomerPortalSession': post(() => ({})),
  'stripe.canCreateMoreServers': get(() => ({})),
};
