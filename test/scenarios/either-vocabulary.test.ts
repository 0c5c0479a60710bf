import { describe, expect, it } from 'vitest';
import { document } from '../../src/api/vocabulary.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Plan } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { documentOf } from '../support/documents.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

const permissions = { adoption: true, dataLoss: true, massDeletion: true, massRecreation: true };

/** One manifest in the words of the document, and in those of Dokploy. */
const written = {
  standard: `${head}
selfgit:
  forge: { selfgitUrl: "https://git.example.com", clientId: a, clientSecret: "\${secret:GIT}", redirectUri: "https://d.example.com/cb" }
members:
  member@example.test: { canAccessToProxyFiles: true }
environments:
  production:
    application:
      web:
        source: { type: selfgit, provider: forge, owner: shop, repository: shop, branch: main }
        build: { type: nix_builder, publishDirectory: dist }
        env: { FORGE: "\${ref:selfgit.forge.id}" }
        domains:
          shop.example.com: { https: true, certificateType: acme_auto }
    postgres:
      main: { databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}", detachPlatformNetwork: true }
`,
  dokploy: `${head}
gitea:
  forge: { giteaUrl: "https://git.example.com", clientId: a, clientSecret: "\${secret:GIT}", redirectUri: "https://d.example.com/cb" }
members:
  member@example.test: { canAccessToTraefikFiles: true }
environments:
  production:
    application:
      web:
        source: { type: gitea, provider: forge, owner: shop, repository: shop, branch: main }
        build: { type: nixpacks, publishDirectory: dist }
        env: { FORGE: "\${ref:gitea.forge.id}" }
        domains:
          shop.example.com: { https: true, certificateType: letsencrypt }
    postgres:
      main: { databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}", detachDokployNetwork: true }
`,
};

type Profile = keyof typeof written;
const profiles: readonly Profile[] = ['standard', 'dokploy'];
const inEach = profiles.flatMap((profile) => profiles.map((words) => [profile, words] as const));

function made(profile: Profile): Bench {
  const world = seedWorld();
  addRow(world, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(world, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  const one = bench({ profile, emulate: { world } });
  Object.assign(one.secrets, { GIT: 'correct-horse-1', DB: 'battery-staple-2' });
  return one;
}

/** Every word that only the API document has: groups, operations, members and values. */
const foreign = new Set(
  [document.groups, document.operations, document.members, ...Object.values(document.values)].flatMap(
    Object.values<string>,
  ),
);

/** The words of the API document in what a run shows. */
function foreignWords(shown: unknown): string[] {
  return [...new Set(JSON.stringify(shown).match(/\w+/g))].filter((word) => foreign.has(word));
}

const shownOf = (plan: Plan) => documentOf(plan).actions;

/** Loads a manifest that has mistakes, and gives them. */
async function mistakes(one: Bench, text: string): Promise<readonly Diagnostic[]> {
  const error: unknown = await one.manifest(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Stop ? error.diagnostics : [];
}

describe('a manifest in either vocabulary', () => {
  it.each(inEach)(
    'on a platform of %s, in the words of %s: is applied, and then plans nothing',
    async (profile, words) => {
      const one = made(profile);
      const plan = await one.plan(written[words]);
      expect(foreignWords(shownOf(plan))).toEqual([]);
      const { outcomes } = await one.apply(written[words], permissions);
      expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
      expect(outcomes.map(({ action }) => action.address)).toContain('gitea.forge');
      for (const text of Object.values(written)) {
        const { actions } = await one.plan(text);
        expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
      }
    },
  );

  it.each(profiles)('shows edits, drift and removals in the words of Dokploy, on a platform of %s', async (profile) => {
    const one = made(profile);
    await one.apply(written[profile], permissions);
    const edited = written[profile]
      .replace('nix_builder', 'static')
      .replace('nixpacks', 'static')
      .replace('true }', 'false }');
    const plans = [await one.plan(edited), await one.plan(head)];
    const { id } = plans[0]?.observed.objects.get('production.application.web.domains["shop.example.com"]') ?? {};
    const { client } = one.world();
    await client.invoke('domain.update', { domainId: id ?? '', host: 'shop.example.com', certificateType: 'none' });
    plans.push(await one.plan(written[profile]));
    const shown = plans.map(shownOf);
    expect(foreignWords(shown)).toEqual([]);
    for (const word of ['nixpacks', 'letsencrypt']) expect(JSON.stringify(shown)).toContain(`"${word}"`);
  });

  it.each(inEach)(
    'on a platform of %s: names what is wrong in the words of Dokploy, written as %s',
    async (profile, words) => {
      const wrong = written[words]
        .replace(/(selfgit|gitea)Url: "[^"]*"/, '$1Url: nowhere')
        .replace('type: nix_builder', 'type: nix')
        .replace('type: nixpacks', 'type: nix')
        .replace(/: (acme_auto|letsencrypt) /, ': acme ')
        .replace(/detach\w+: true/, 'detachNetwork: 1, $&x');
      const found = await mistakes(made(profile), wrong);
      expect(found.length).toBeGreaterThan(3);
      const said = found.map(({ message, remedy, address }) => [message, remedy, address]);
      expect(foreignWords(said)).toEqual([]);
    },
  );

  it('is refused where it writes one field, section or block twice', async () => {
    const text = written.dokploy
      .replace('giteaUrl:', 'selfgitUrl: "https://git.example.com", giteaUrl:')
      .replace('members:', 'selfgit: { forge: { clientId: b } }\nmembers:');
    const found = await mistakes(made('dokploy'), text);
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ['defined-twice', 'giteaUrl and selfgitUrl are the same field'],
      ['defined-twice', 'forge is already defined in trueup.yaml:6:3'],
    ]);
  });

  it.each(profiles)('merges two words for one section, in the profile %s', async (profile) => {
    const one = made(profile);
    const text = `${written[profile]}${profile === 'dokploy' ? 'selfgit' : 'gitea'}: { mirror: { clientId: b, clientSecret: "\${secret:GIT}", selfgitUrl: "https://m.example.com", redirectUri: "https://d.example.com/cb" } }\n`;
    const { resources } = await one.manifest(text);
    const section = 'gitea';
    expect(resources.map(({ address }) => address)).toEqual(
      expect.arrayContaining([`${section}.forge`, `${section}.mirror`]),
    );
  });

  it.each(inEach)(
    'in the profile %s: finds what --target, moved: and drift: name in the words of %s',
    async (profile, words) => {
      const one = made(profile);
      const [section, other] = words === 'dokploy' ? ['gitea', 'giteaUrl'] : ['selfgit', 'selfgitUrl'];
      const text = `${written[words]}moved: [{ from: ${section}.old, to: ${section}.forge }]\ndrift: { ignore: [{ address: "${section}.*", field: ${other} }] }\n`;
      const { settings } = await one.manifest(text);
      const [own, field] = ['gitea', 'giteaUrl'];
      expect(settings.moved.map(({ from, to }) => [from, to])).toEqual([[`${own}.old`, `${own}.forge`]]);
      expect(settings.drift?.ignore).toEqual([{ address: `${own}.*`, field }]);
      const meant = readNarrowing({ target: [`${section}.forge`, `${section}.*`] });
      expect(meant.targets).toEqual([`${own}.forge`, `${own}.*`]);
    },
  );

  it.each(inEach)(
    'in the profile %s: keeps a field private that private: names in the words of %s',
    async (profile, words) => {
      const one = made(profile);
      const field = words === 'dokploy' ? 'giteaUrl' : 'selfgitUrl';
      for (const text of Object.values(written)) {
        const plan = await one.plan(text.replace('forge: {', `forge: { private: [${field}],`));
        const change = plan.actions
          .flatMap(({ changes }) => changes)
          .find(({ path }) => /^(gitea|selfgit)Url$/.test(path));
        expect(change?.after).toEqual({ is: 'hidden' });
      }
    },
  );
});
