import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../../src/kind/kind.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { addressOf, bodyTag, manifestWith, outcomeOf, stands, withField } from '../support/kind-manifests.ts';
import { heldBack } from './gate.ts';
import type { Row } from './platform.ts';
import { Refused, rowsIn, textIn } from './platform.ts';
import type { Ended, Site } from './site.ts';
import { noteSecrets } from './site.ts';

/** Something that is tried on the platform. */
export interface Check {
  readonly title: string;
  /** Rejects with `Skipped` when it cannot be tried here, with `Failed` when it does not hold. */
  readonly run: (site: Site) => Promise<void>;
}

/** It cannot be tried on this platform, or with this key. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** It does not hold; the message has no secret, because the program that printed it hides them. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** Kinds whose examples would reach beyond what one run may touch, with the reason. */
const notTried: ReadonlyMap<string, string> = new Map([
  ['organization', 'it would make an organization, which no key of this one sees'],
  ['memberPermissions', 'it would change what a person may do'],
  ['server', 'it needs a machine'],
  ['registry', 'the platform logs in at it at once'],
  ['github', 'only a person in a browser can make one'],
  ['environment', 'every check has one'],
  ['project', 'every run makes one'],
]);

/** Everything that is tried, in order. `only`: words of which a title has to hold one; all when empty. */
export function checksFor(only: readonly string[], examples: string): Check[] {
  const all = [
    ...stands().map(kindCheck),
    hotFix,
    lostAnswer,
    moved,
    exported,
    reviewed,
    ...exampleFolders(examples).map((name) => exampleCheck(examples, name)),
  ];
  return only.length === 0 ? all : all.filter(({ title }) => only.some((word) => title.includes(word)));
}

/** A block as its kind shows it: created, read back, changed in every plain field, changed back, deleted. */
function kindCheck(stand: Stand): Check {
  return {
    title: `kind ${stand.title}`,
    run: async (site) => {
      const why = notTried.get(stand.parent === 'server' ? stand.parent : stand.kind.kind);
      if (why !== undefined) throw new Skipped(why);
      if (stand.kind.operations.create === undefined) throw new Skipped('Trueup only adopts these');
      const isTop = stand.parent === root;
      if (isTop && !canGo(stand)) throw new Skipped('the platform has no operation that deletes it');
      const key = isTop ? `${site.mark}-${stand.key}` : stand.key;
      const text = (body: Body) => inSite(site, manifestWith(stand, named(stand, body, key), { ...place(site), key }));
      const folder = site.folder({ 'trueup.yaml': text(stand.body) });
      await converges(site, folder);
      const changed = otherwise(stand);
      if (changed !== undefined) {
        site.write(folder, { 'trueup.yaml': text(changed) });
        await converges(site, folder);
        site.write(folder, { 'trueup.yaml': text(stand.body) });
        await converges(site, folder);
      }
      await destroys(site, folder, addressOf(stand, { ...place(site), key }));
    },
  };
}

const hotFix: Check = {
  title: 'a change behind the back of the manifest is shown, and put right only by apply',
  run: async (site) => {
    const folder = site.folder({ 'trueup.yaml': manifest(site, { compose: { shop: shop('first') } }) });
    await converges(site, folder);
    const [row] = await servicesIn(site, 'compose');
    await site.direct.post('compose.update', { composeId: row?.['composeId'], description: 'changed by hand' });
    const plan = await site.trueup(folder, 'plan', '--no-deploy', '--detailed-exitcode');
    if (plan.code !== 2 || !plan.out.includes('description')) throw failure('the plan does not show it', plan);
    await converges(site, folder);
    const [again] = await servicesIn(site, 'compose');
    if (textIn(again ?? {}, 'description') !== 'first') throw new Failed('the description was not put right');
    await destroys(site, folder);
  },
};

const lostAnswer: Check = {
  title: 'an answer that gets lost makes no duplicate',
  run: async (site) => {
    const folder = site.folder({ 'trueup.yaml': manifest(site, { compose: { shop: shop('lost') } }) });
    site.gate.loseAnswerTo('compose.create');
    const apply = await site.trueup(folder, ...applying, '--in-flight-timeout', '5s');
    if (![0, 6].includes(apply.code)) throw failure('apply', apply);
    await converges(site, folder);
    const found = await servicesIn(site, 'compose');
    if (found.length !== 1) throw new Failed(`there are ${found.length} services instead of one`);
    await destroys(site, folder);
  },
};

const moved: Check = {
  title: 'a renamed block keeps its object',
  run: async (site) => {
    const folder = site.folder({ 'trueup.yaml': manifest(site, { compose: { shop: shop('one') } }) });
    await converges(site, folder);
    const [before] = await servicesIn(site, 'compose');
    const { environment } = place(site);
    const from = `${environment}.compose.shop`;
    const moving = [{ from, to: `${environment}.compose.store` }];
    site.write(folder, { 'trueup.yaml': manifest(site, { compose: { store: shop('one') } }, moving) });
    await converges(site, folder);
    const after = await servicesIn(site, 'compose');
    const isSame = after.length === 1 && after[0]?.['composeId'] === before?.['composeId'];
    if (!isSame || textIn(after[0] ?? {}, 'name') !== 'store')
      throw new Failed('it is another object, or was not renamed');
    await destroys(site, folder);
  },
};

const exported: Check = {
  title: 'an export plans nothing',
  run: async (site) => {
    if (!site.isOwnProject) throw new Skipped('the project holds what is not of this run');
    const blocks = {
      compose: { shop: shop('exported') },
      redis: { cache: { databasePassword: '${secret:CACHE_PASSWORD}' } },
    };
    const folder = site.folder({ 'trueup.yaml': manifest(site, blocks) });
    await converges(site, folder);
    const copy = site.folder({});
    const words = ['--url', site.gate.url, '--project', site.projectId, '--with-secrets', 'secrets.env'];
    const made = await site.trueup(copy, 'export', ...words);
    if (made.code !== 0) throw failure('export', made);
    await plansNothing(site, copy);
    await destroys(site, folder);
  },
};

const reviewed: Check = {
  title: 'a reviewed plan is applied as it was, and no other',
  run: async (site) => {
    const folder = site.folder({ 'trueup.yaml': manifest(site, { compose: { shop: shop('reviewed') } }) });
    const plan = await site.trueup(folder, 'plan', '--no-deploy', '--out', 'reviewed.plan');
    if (plan.code !== 0) throw failure('plan', plan);
    site.write(folder, { 'trueup.yaml': manifest(site, { compose: { shop: shop('another') } }) });
    const refused = await site.trueup(folder, 'apply', 'reviewed.plan');
    if (refused.code !== 1) throw failure('a plan of another manifest was applied', refused);
    site.write(folder, { 'trueup.yaml': manifest(site, { compose: { shop: shop('reviewed') } }) });
    const applied = await site.trueup(folder, 'apply', 'reviewed.plan');
    if (applied.code !== 0) throw failure('apply of the reviewed plan', applied);
    await plansNothing(site, folder);
    await destroys(site, folder);
  },
};

/** A folder of examples, as it stands, in a project of its own. */
function exampleCheck(examples: string, name: string): Check {
  return {
    title: `example ${name}`,
    run: async (site) => {
      if (!site.isOwnProject) throw new Skipped('its environments would stand in a project that is not of this run');
      const files = filesBelow(join(examples, name));
      const head = files['trueup.yaml'] ?? '';
      noteSecrets(Object.values(files).join('\n'));
      const own = head
        .replace(/^platform:.*$/m, `platform: { url: "${site.gate.url}" }`)
        .replace(/^project:.*$/m, `project: ${site.projectId}`);
      const topLevel =
        /^(sshKeys?|certificates?|ai|github|gitlab|bitbucket|gitea|organizations?|members?|servers|registries|destinations|notifications|tags)\b/m;
      if (Object.values(files).some((text) => topLevel.test(text)))
        throw new Skipped('it declares objects of the organization, whose names have no mark');
      const all = Object.entries({ ...files, 'trueup.yaml': own }).map(([path, text]) => [path, ownIds(site, text)]);
      const folder = site.folder(Object.fromEntries(all) as Record<string, string>);
      await converges(site, folder);
      await destroys(site, folder);
    },
  };
}

const applying = ['apply', '--auto-approve', '--adopt', '--allow-data-loss', '--no-deploy'];

/** Applies, and then plans nothing. */
async function converges(site: Site, folder: string): Promise<void> {
  const words = site.deploys ? applying.filter((word) => word !== '--no-deploy') : applying;
  const apply = await site.trueup(folder, ...words);
  skipWhereRefused(apply);
  if (apply.code !== 0) throw failure('apply', apply);
  await plansNothing(site, folder);
}

async function plansNothing(site: Site, folder: string): Promise<void> {
  const plan = await site.trueup(folder, 'plan', '--detailed-exitcode', ...(site.deploys ? [] : ['--no-deploy']));
  if (plan.code !== 0) throw failure('and then plans something', plan);
}

/** Deletes everything of a manifest; nothing of ours is left in the environment. `address`: what has to be gone. */
async function destroys(site: Site, folder: string, address?: string): Promise<void> {
  const words = ['--auto-approve', '--allow-data-loss'];
  const destroy = await site.trueup(folder, 'destroy', ...words);
  if (destroy.code !== 0) throw failure('destroy', destroy);
  const left = await site.trueup(folder, 'state', 'list');
  if (address !== undefined && left.out.includes(address)) throw new Failed(`${address} is still there`);
}

/** A platform without the operations, or a key without the right, is no defect; the words of the program say which. */
function skipWhereRefused({ code, err, out }: Ended): void {
  if (code !== 0 && (err + out).includes(heldBack)) throw new Failed(`a write was ${heldBack}`);
  if (code === 4 || (code !== 0 && out.includes('Use the API key of a user who has the right to do this')))
    throw new Skipped('the key has no right to it');
  if (/unsupported|has no documented operation/.test(err + out) && code !== 0)
    throw new Skipped('the platform has no operations for it');
}

/** A failure with what the program said, which holds no secret. */
function failure(what: string, { code, out, err }: Ended): Failed {
  const said = `${out.trim()}\n${err.trim()}`.trim().split('\n').slice(-20).join('\n');
  return new Failed(`${what}: exit code ${code}\n${said}`);
}

/** The environment that checks work in. A project of our own has no other. */
function place(site: Site): { readonly environment: string } {
  return { environment: site.mark };
}

const shop = (description: string): Body => ({
  description,
  source: { type: 'raw', composeFile: 'services:\n  web:\n    image: nginx:1.27\n' },
});

function manifest(site: Site, services: Body, moves: readonly Body[] = []): string {
  const body = { environments: { [site.mark]: services }, moved: [...moves] };
  return inSite(site, JSON.stringify(body));
}

/** A manifest that names the platform and the project of the site, and nothing of another environment. */
function inSite(site: Site, text: string): string {
  const { environments, ...rest } = JSON.parse(noteSecrets(text)) as Body & { environments?: Body };
  const own = environments?.[site.mark];
  return ownIds(site, {
    ...rest,
    trueup: 1,
    platform: { url: site.gate.url },
    project: site.projectId,
    ...(own === undefined ? {} : { environments: { [site.mark]: own } }),
  });
}

/**
 * The text of a manifest in which a destination is that of this run: ids of examples exist nowhere else than in examples.
 *
 * @throws {Skipped} when there is none, or it names another object of the organization.
 */
function ownIds(site: Site, content: string | object): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  if (isForeign(text)) throw new Skipped('it names an object of the organization');
  if (!/\bdst_\d\b/.test(text)) return text;
  const { destinationId } = site;
  if (destinationId === undefined) throw new Skipped('it needs a destination, and this run could not make one');
  return text.replaceAll(/\bdst_\d\b/g, () => destinationId);
}

/** A block at the top has a marked name also where its key is not its name. */
function named(stand: Stand, body: Body, key: string): Body {
  const { keyField } = stand.kind.identity;
  const isNamed = keyField !== undefined && body[keyField] !== undefined && stand.parent === root;
  return isNamed ? { ...body, [keyField]: key } : body;
}

/** Whether an object at the top can be deleted. */
const canGo = ({ kind }: Stand): boolean => kind.operations.delete !== undefined;

/**
 * The body with another value in every plain field: none that holds an id, replaces the object, or belongs to a case of a
 * union. Undefined when it has no such field.
 */
function otherwise(stand: Stand): Body | undefined {
  const { kind, body } = stand;
  const inUnions = new Set(
    (kind.unions ?? []).flatMap(({ tag, cases }) => [
      tag,
      ...Object.values(cases).flatMap((one) => Object.values(one)),
    ]),
  );
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const isPlain =
      field.refersTo === undefined &&
      !/Ids?$/.test(name) &&
      !isForeign(JSON.stringify(field.examples)) &&
      !inUnions.has(name) &&
      name !== kind.identity.keyField &&
      outcomeOf(field) === 'write' &&
      typeof field.onChange !== 'object' &&
      bodyTag(stand, body, name) !== null;
    return isPlain ? [name] : [];
  });
  const changed = names.reduce<Body>((made, name) => {
    const field = kind.fields[name];
    const value = field?.examples.find((example) => JSON.stringify(example) !== JSON.stringify(made[name]));
    return (value === undefined ? undefined : withField({ ...stand, body: made }, name, value)) ?? made;
  }, body);
  return names.length === 0 ? undefined : changed;
}

/** Whether a text of an example holds the id of an object that only examples have. */
const isForeign = (text: string): boolean => /\b(hub|lab|bkt|sfg|srv|key|reg|net)_\d\b/.test(text);

async function servicesIn(site: Site, listed: string): Promise<Row[]> {
  try {
    const environments = rowsIn(await site.direct.get('environment.byProjectId', { projectId: site.projectId }));
    const own = environments.find((row) => row['name'] === site.mark);
    const whole = await site.direct.get('environment.one', { environmentId: textIn(own ?? {}, 'environmentId') });
    return rowsIn((whole as Row)[listed]);
  } catch (error) {
    throw error instanceof Refused && error.isRight ? new Skipped('the key may not read environments') : error;
  }
}

function exampleFolders(examples: string): string[] {
  return readdirSync(examples).filter((name) => statSync(join(examples, name)).isDirectory() && name !== 'adopt');
}

function filesBelow(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const files = paths.filter((path) => statSync(path).isFile() && !path.includes('.trueup'));
  return Object.fromEntries(files.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}
