import type { Group } from '../context.ts';
import { invalid } from '../error-answers.ts';

/** The `stripe` group: fixed answers, nothing is ever bought. */
export const stripe: Group = {
  'stripe.getProducts': () => ({
    products: [product('hobby', 450), product('startup', 1500)],
    subscriptions: [],
    hobbyProductId: 'prod_hobby',
    startupProductId: 'prod_startup',
    currentPlan: null,
    isAnnualCurrent: false,
    currentPriceAmount: null,
  }),

  'stripe.createCheckoutSession'(_context, input) {
    if (input['tier'] === 'startup' && Number(input['serverQuantity']) < 3)
      throw invalid('serverQuantity', 'Startup plan requires at least 3 servers');
    return { sessionId: 'checkout_session_1' };
  },

  'stripe.createCustomerPortalSession': () => ({ url: 'https://billing.example.test/portal' }),

  // Only the cloud edition counts servers.
  'stripe.canCreateMoreServers': () => true,
};

function product(tier: string, amount: number) {
  return {
    id: `prod_${tier}`,
    name: tier,
    active: true,
    default_price: { id: `price_${tier}`, currency: 'usd', unit_amount: amount, recurring: { interval: 'month' } },
  };
}
