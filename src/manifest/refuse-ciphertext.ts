import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { pathOf } from '../kind/attribute.ts';
import { ciphertextIn, sourceOf } from '../secrets/ciphertext.ts';
import { fileAt, placesInFile } from './place-in-file.ts';
import { type Resource, wantedAttributes } from './resource.ts';
import { position } from './tree.ts';
import { type Wanted, knownTexts } from './wanted.ts';
import type { Workspace } from './workspace.ts';

/**
 * Refuses what a tool has encrypted where a value belongs: in env, in secret fields, and in texts that checks read as YAML. The
 * text of another file may hold it, as an application may decrypt its own files. So may an env that has the key of dotenvx.
 */
export function refuseCiphertext(
  resources: readonly Resource[],
  sources: { readonly texts: ReadonlyMap<string, string>; readonly beside: Workspace['beside'] },
): Diagnostic[] {
  return resources.flatMap((resource) => {
    const attributes = wantedAttributes(resource).filter(({ attribute: { field } }) => takesValues(resource, field));
    const texts = attributes.map(({ attribute, wanted }) => ({
      attribute,
      wanted,
      text: knownTexts(wanted).join('\n'),
    }));
    const decrypts = texts.some(({ attribute: { key }, text }) => decryptingKey.test(key ?? text));
    return texts.flatMap(({ attribute, wanted, text }) => {
      const found = ciphertextIn(text);
      if (found === undefined || (found.of === 'dotenvx' && decrypts)) return [];
      const file = fileAt(wanted.at, sources);
      const remedy =
        file === undefined
          ? 'Write ${secret:NAME}, and the encrypted file as a source under secrets:.'
          : `${sourceOf(found.of, file)} Then write \${secret:NAME}.`;
      const message = `${pathOf(resource.kind, attribute)} holds ciphertext of ${found.of}, which the platform would take for the value`;
      const where = isAsWritten(wanted)
        ? placesInFile({ text, place: wanted.at }, sources)({ line: found.line, column: 1 })
        : undefined;
      const at = where ?? position(wanted.at);
      return [diagnostic('ciphertext', message, { address: resource.address, remedy, position: at })];
    });
  });
}

const decryptingKey = /^\s*DOTENV_PRIVATE_KEY/m;

function takesValues({ kind }: Resource, name: string): boolean {
  const field = kind.fields[name];
  return field?.map !== undefined || field?.secrecy === 'secret' || kind.checks?.yaml?.field === name;
}

/** No expression splits the text, so that its lines are those of its file. */
function isAsWritten(wanted: Wanted): boolean {
  return knownTexts(wanted).length === 1;
}
