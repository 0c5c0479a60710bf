import { isObject } from '../formats/json.ts';
import { type Reference, referencesOf } from './references.ts';
import { mapOf } from './service-parts.ts';

/** Where the platform's suffix breaks a compose file. */
export interface SuffixBreak {
  readonly at: readonly string[];
  readonly is:
    | { readonly is: 'merged section' }
    /** A name that keeps its form although what it means gets the suffix, or the other way round. */
    | {
        readonly is: 'reference';
        readonly section: Reference['section'];
        readonly key: string;
        readonly name: string;
        readonly how: 'merged' | 'other form' | 'no such';
      }
    /** A member of a network of a service, whose key gets the suffix. */
    | { readonly is: 'member'; readonly key: string };
}

const sections = ['services', 'networks', 'volumes', 'configs', 'secrets'] as const;

/**
 * Where compose refuses a file in which the platform gives all names a suffix. It reads no merge keys, and `<<` is a name to
 * it. `merged`: the file as compose reads it; `written`: as the platform does. Source: addSuffixToAllProperties.
 */
export function suffixBreaks(merged: Definition, written: Definition): readonly SuffixBreak[] {
  const ofSections = sections.flatMap((section): SuffixBreak[] =>
    mapOf(written[section])['<<'] === undefined ? [] : [{ at: [section], is: { is: 'merged section' } }],
  );
  const services = Object.entries(mapOf(written.services));
  return [
    ...ofSections,
    ...services.flatMap(([name, own]) => (name === '<<' ? [] : breaksOf(name, mapOf(own), { merged, written }))),
  ];
}

type Definition = ReturnType<typeof mapOf>;

function breaksOf(
  name: string,
  own: Definition,
  { merged, written }: { readonly merged: Definition; readonly written: Definition },
): readonly SuffixBreak[] {
  const at = ['services', name];
  const seen = new Set(referencesOf(own).map(({ key, name: other }) => `${key} ${other}`));
  const references = referencesOf(mapOf(mapOf(merged.services)[name])).flatMap(
    ({ section, name: other, key, isPlain }): SuffixBreak[] => {
      const isKnown = Object.hasOwn(mapOf(merged[section]), other) || other === 'default';
      const isOpen = other.includes('$') || mapOf(written[section])['<<'] !== undefined;
      if (!isKnown || isOpen || (section === 'networks' && other === 'dokploy-network')) return [];
      const isRenamed = isPlain && seen.has(`${key} ${other}`);
      const hasSuffix = Object.hasOwn(mapOf(written[section]), other);
      if (isRenamed === hasSuffix) return [];
      const how = isRenamed ? 'no such' : seen.has(`${key} ${other}`) ? 'other form' : 'merged';
      return [{ at: [...at, key], is: { is: 'reference', section, key, name: other, how } }];
    },
  );
  const networks = isObject(own.networks) ? Object.entries(mapOf(own.networks)) : [];
  const members = networks.flatMap(([network, value]) =>
    Object.keys(mapOf(value))
      .filter((key) => key !== 'aliases')
      .map((key): SuffixBreak => ({ at: [...at, 'networks', network, key], is: { is: 'member', key } })),
  );
  return [...references, ...members];
}
