import { describe, expect, it } from 'vitest';
import { dokploy } from '../../src/api/vocabulary.ts';
import { inProfile, profileOf, textIn } from '../../src/kind/profile.ts';
import { fieldPath } from '../../src/kind/wire.ts';
import { kinds } from '../../src/resources/index.ts';
import { schemaOf } from '../../src/kind/field.ts';

const named = (all: typeof kinds, name: string) => {
  const kind = all.find((one) => one.kind === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
};
const ours = inProfile(kinds, 'dokploy');

describe('inProfile', () => {
  it('names kinds and sections as Dokploy does, and remembers the words of the document', () => {
    const github = named(ours, 'github');
    expect([github.section, github.also, github.identity.id]).toEqual(['github', 'hubgit', 'hubgitId']);
    expect(named(inProfile(kinds, 'standard'), 'hubgit').also).toBe('github');
  });

  it('keeps the names of fields that the API has, and writes those of Dokploy', () => {
    const gitea = named(ours, 'gitea');
    expect(Object.keys(gitea.fields)).toContain('selfgitUrl');
    expect(fieldPath(gitea, 'selfgitUrl')).toBe('giteaUrl');
    expect(gitea.fields.selfgitUrl?.also).toBe('selfgitUrl');
    expect(named(inProfile(kinds, 'standard'), 'selfgit').fields.selfgitUrl?.also).toBe('giteaUrl');
  });

  it('takes the words of both for a value, and shows those of the profile', () => {
    for (const [all, shown] of [
      [inProfile(kinds, 'standard'), 'acme_auto'],
      [ours, 'letsencrypt'],
    ] as const) {
      const spelling = named(all, 'domain').fields.certificateType?.spelling?.();
      expect(['letsencrypt', 'acme_auto', 'none'].map((word) => spelling?.read(word))).toEqual([
        'acme_auto',
        'acme_auto',
        'none',
      ]);
      expect(spelling?.show('acme_auto')).toBe(shown);
    }
  });

  it('renames members inside of a value, and their schema', () => {
    const field = named(ours, 'compose').fields.serviceNetworks;
    const written = [{ serviceName: 'web', networkIds: ['dokploy'], detachDokployNetwork: true }];
    expect(field && schemaOf(field).safeParse(written).success).toBe(true);
    const value = [{ serviceName: 'web', networkIds: ['dokploy'], detachPlatformNetwork: true }];
    expect(field?.spelling?.()?.read(written)).toEqual(value);
    expect(field?.spelling?.()?.show(value)).toEqual(written);
  });

  it('refers to kinds and stands below kinds by the names of the profile', () => {
    const names = new Set(ours.map(({ kind }) => kind));
    for (const { fields, parents } of ours) {
      for (const { refersTo } of Object.values(fields)) if (refersTo !== undefined) expect(names).toContain(refersTo);
      for (const parent of Object.keys(parents)) expect([...names, 'root']).toContain(parent);
    }
  });

  it('gives the same objects for the same kinds, from either profile', () => {
    expect(inProfile(kinds, 'dokploy')).toBe(ours);
    expect(inProfile(inProfile(kinds, 'standard'), 'dokploy')).toBe(ours);
    expect([profileOf(kinds), profileOf(inProfile(kinds, 'standard')), profileOf(ours)]).toEqual([
      'standard',
      'standard',
      'dokploy',
    ]);
  });

  it('leaves no word of the document in what users read of a kind', () => {
    const documents = [
      ...Object.keys(dokploy.members),
      ...Object.keys(dokploy.operations),
      ...Object.values(dokploy.values).flatMap(Object.keys),
    ];
    for (const kind of ours) {
      const { summary, examples, section, checks, unions = [], operations, fields } = kind;
      const union = unions.map(({ describe: text, words }) => [text, Object.values(words ?? {})]);
      const read = Object.entries(fields).map(([name, field]) => [
        fieldPath(kind, name),
        schemaOf(field).description,
        field.examples,
        Object.entries(field.words ?? {}),
        field.refersTo,
      ]);
      const text = JSON.stringify([
        kind.kind,
        section,
        summary,
        examples,
        checks?.hints,
        union,
        operations.cannot,
        read,
      ]);
      const words = new Set(text.match(/\w+/g));
      expect(documents.filter((word) => words.has(word))).toEqual([]);
    }
  });
});

describe('textIn', () => {
  it('changes whole words only', () => {
    expect(textIn('hubgit-1: { hubgitAppName: x, myhubgit: y }', 'dokploy')).toBe(
      'github-1: { githubAppName: x, myhubgit: y }',
    );
    expect(textIn('hubgit', 'standard')).toBe('hubgit');
  });
});
