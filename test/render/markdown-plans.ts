import type { PlanInput } from '../../src/documents/plan-document.ts';
import type { Plan } from '../../src/plan/action.ts';
import { renderPlanMarkdown } from '../../src/render/plan-markdown.ts';
import { printed } from '../../src/render/printable.ts';
import { documentOf } from '../support/documents.ts';
import { bench, head } from '../support/world.ts';

export const commit = '0d5c7e0f6a1b4f0c8f2f3b1a9e7d6c5b4a392817';
const site = {
  key: 'abc',
  folder: 'infra/',
  file: 'trueup.yaml',
  links: { base: 'https://git.example.com/o/r/blob/', commit },
};
export const about = {
  platform: 'https://deploy.example.com',
  project: { id: 'prj_1', name: 'shop' },
  state: { location: '.trueup/state.json', serial: 12 },
};
const steps = { showing: 'trueup plan --full', applying: undefined };

/** A plan as Markdown, as it is printed. */
export function markdown(
  plan: Plan,
  { isFull = false, ...over }: Partial<PlanInput> & { readonly isFull?: boolean } = {},
): string {
  const document = documentOf(plan, { counts: { reads: 3, writes: 0 }, about, ...over });
  return printed(renderPlanMarkdown(document, site, { ...steps, isFull }));
}

/** No output may have it. */
export const secret = 'canary-7f3a-secret';
export const postgres = (image: string): string =>
  `    postgres:\n      main: { dockerImage: "${image}", databaseName: shop, databaseUser: shop, databasePassword: ${secret} }\n`;
export const redis = `    redis:\n      old: { dockerImage: "redis:8", databasePassword: ${secret} }\n`;
export const compose = (image: string, more: string): string => `    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: ${image}
        env: { ${more} }
`;
const text = (sections: string): string => `${head}environments:\n  production:\n${sections}`;

/** The plan of a manifest where another one was applied; each is the sections of an environment. */
export async function planOf(before: string, after: string): Promise<Plan> {
  const world = bench();
  await world.apply(text(before), { adoption: true });
  return world.plan(text(after));
}
