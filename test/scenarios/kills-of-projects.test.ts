import { testHistories } from '../support/history-tests.ts';

/** A project that is a block: whatever happens to a request of its creation, there is one project with one production. */

const head = (block: string) => `trueup: 1\nplatform: emulator\nproject: ${block}\n`;
const service = 'compose: { web: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" } } }';
const shop = (description: string) => head(`{ name: shop, description: ${description}, env: { REGION: eu } }`);
const environments = `environments: { production: { description: Live., ${service} } }\n`;

testHistories(
  {
    'a project is created with what is in it': { before: [], after: shop('One.') + environments, posts: 4 },
    'a project changes': { before: [shop('One.') + environments], after: shop('Two.') + environments, posts: 1 },
  },
  'in memory',
);
