import type { Send, WireAnswer } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { passing } from './deploying.ts';
import { operationOf, worldOver } from './faults.ts';
import { type Bench, head } from './world.ts';

/** Services with `deploy: { onFailure: restore }`. */

export const restoring = 'deploy: { onFailure: restore }';
export const at = (kind: string, block: string) =>
  `${head}environments:\n  production:\n    ${kind}:\n      ${block}\n`;
export const application = (image: string, more = '') =>
  at('application', `web: { source: { type: docker, image: "${image}" }, ${restoring}${more} }`);
export const compose = (image: string, more = '') =>
  at(
    'compose',
    `shop: { source: { type: raw, composeFile: 'services: { web: { image: "${image}", volumes: ["../files/a.conf:/a"] } }' }, ${restoring}${more} }`,
  );
export const database = (image: string) =>
  at(
    'postgres',
    `main: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1, ${restoring} }`,
  );
export const file = (content: string) => `, files: { a.conf: { content: "${content}" } }`;

/** What a deployment of the only service reads, as the platform has it. */
export function configuration(made: Bench): readonly unknown[] {
  const { application, compose, postgres, mount } = made.emulator.world.tables;
  const services: readonly Row[] = [
    ...Object.values(application),
    ...Object.values(compose),
    ...Object.values(postgres),
  ];
  return [
    ...services.map(({ dockerImage, composeFile, env, replicas }) => [dockerImage, composeFile, env, replicas]),
    ...Object.values(mount).map(({ content }) => content),
  ];
}

/** Plans while time passes. */
export const planned = async (made: Bench, text: string, options = {}): Promise<Plan> =>
  passing(plan(await made.manifest(text), worldOver(made, made.emulator.send), options));
/** What the plan of a manifest says of changes that failed and of versions that do not come back. */
export const notesIn = async (made: Bench, text: string) =>
  (await planned(made, text)).actions
    .flatMap(({ notes }) => notes)
    .filter(({ code }) => /failed-before|no-restore/.test(code));

/** Answers some requests otherwise, by how often their operation was sent. */
export function meeting(made: Bench, meet: (operation: string, nth: number) => Promise<WireAnswer | undefined>): Send {
  const sent = new Map<string, number>();
  return async (request) => {
    const operation = operationOf(request);
    const nth = (sent.get(operation) ?? 0) + 1;
    if (request.method === 'POST') sent.set(operation, nth);
    const answer = request.method === 'POST' ? await meet(operation, nth) : undefined;
    return answer ?? made.emulator.send(request);
  };
}
