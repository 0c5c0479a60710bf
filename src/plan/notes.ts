import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { pathOf } from '../kind/attribute.ts';
import type { Json } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import { contains } from '../kind/shared-set.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { type Acceptances, acceptCommand, subjectField } from './find-acceptance.ts';
import { type AttributeChange, isIgnored } from './action.ts';
import { type ChangeShowing, sidesOf } from './attribute-change.ts';
import type { Planning } from './input.ts';
import { redactShown } from './shown-values.ts';
import { isEdited } from './standing.ts';

/** The input for the notes about the attributes of a resource. */
export interface NotesInput extends ChangeShowing, Pick<Planning, 'howToGive'> {
  readonly resource: Resource;
  /** What a person accepted of the drift of the object. */
  readonly accepting: Acceptances & { readonly objectId: string; readonly isObeyed: boolean };
}

/** The notes about values that the platform answered an error to, of an object that no request proves. */
export function notesOnUnproven(
  { address, kind }: Resource,
  attributes: readonly AttributeChange[],
): readonly Diagnostic[] {
  return attributes.flatMap(({ attribute, decision, wanted }) => {
    if (decision.do !== 'nothing' || decision.unproven !== true) return [];
    const message = `${pathOf(kind, attribute)}: the platform answered an error when it stored the value, and Trueup cannot write it again`;
    const remedy = `Replace the object: --replace ${address}.`;
    const at = wanted === undefined ? undefined : position(wanted.at);
    return [diagnostic('stored-anyway', message, { address, position: at, remedy })];
  });
}

/** The notes about an attribute: ids in a set that stay, and what the decision about it needs to have said. */
export function notesOn(input: NotesInput, planned: AttributeChange): Diagnostic[] {
  const { address, kind } = input.resource;
  const { attribute, field, wanted, standing, pair } = planned;
  const note = decisionNote(input, planned);
  const areLeft =
    field.codec === contains && pair !== undefined && 'digest' in pair.wanted && standing.declared === 'edited';
  if (note === undefined && !areLeft) return []; // of most attributes
  const path = pathOf(kind, attribute);
  const at = wanted === undefined ? undefined : position(wanted.at);
  const message = `${path}: ids that came from a secret or the environment and are not declared any more stay`;
  const remedy = 'Remove them on the platform, or apply once with accessMode: own.';
  return [
    ...(areLeft ? [diagnostic('left-alone', message, { address, remedy })] : []),
    ...(note === undefined
      ? []
      : [diagnostic(note.code, `${path}: ${note.sentence}`, { address, position: at, remedy: note.remedy })]),
  ];
}

/** The note about a decision. */
interface Note {
  readonly code: Diagnostic['code'];
  readonly sentence: string;
  readonly remedy?: string;
}

function decisionNote(input: NotesInput, planned: AttributeChange): Note | undefined {
  const { field, decision, before, wanted } = planned;
  switch (decision.do) {
    case 'nothing': {
      const remedy = 'Change the value, or leave the line out: Trueup does not write this value again.';
      return isIgnored(planned) ? { code: 'ignored', sentence: 'the platform ignored the value', remedy } : undefined;
    }
    case 'release': {
      const isThere = before.reveal() !== null;
      const rest = isThere ? 'and stays as it is' : 'and the platform has no value for it';
      return { code: 'released', sentence: `is no longer managed ${rest}` };
    }
    case 'leave': {
      const remedy = 'To put the value of the manifest back now: --include-accepted.';
      const { sentence } = decision;
      return decision.accepted === true ? { code: 'accepted', sentence, remedy } : { code: 'drift-left', sentence };
    }
    case 'error': {
      if (wanted !== undefined && wanted.missing.length > 0)
        return { ...decision, remedy: input.howToGive(wanted.missing) };
      const shown = redactShown(sidesOf(input.resource, planned, input).before, input.redact);
      return { ...decision, remedy: remedyFor(field, before.reveal(), shown.is !== 'value') };
    }
    case 'remove':
    case 'write':
    case 'replace':
      return acceptanceOver(input, planned);
    case 'keep': {
      const sentence = 'the new value of the manifest is not written, because createOnly: names this field';
      const remedy = 'To write it, remove the name from createOnly.';
      return isEdited(planned.standing.declared) ? { code: 'create-only', sentence, remedy } : undefined;
    }
    case 'wait':
      return undefined;
    default:
      return decision satisfies never;
  }
}

/** The note of a write over drift that was accepted: until a day that has passed, or before it changed once more. */
function acceptanceOver(
  { resource: { kind, address }, accepting }: NotesInput,
  { attribute, accepted, standing }: AttributeChange,
): Note | undefined {
  const field = subjectField(kind, attribute);
  const again = (because: string) => `${acceptCommand({ subject: address, field, because })}.`;
  if (accepted !== undefined) {
    const { by, until, because, over } = accepted;
    if (!over) return undefined;
    const sentence = `${by} accepted what the platform has until ${until}, which has passed; apply puts it back`;
    return { code: 'acceptance-over', sentence, remedy: `To keep it for longer: ${again(because)}` };
  }
  if (!accepting.isObeyed || standing.there !== 'other') return undefined;
  const other = accepting.ofAnother({ kind: kind.kind, objectId: accepting.objectId, field });
  if (other === undefined) return undefined;
  const { by, until, because } = other;
  const sentence = `${by} accepted another value until ${until}; the platform has a new one since, and apply writes the one of the manifest`;
  return { code: 'acceptance-over', sentence, remedy: `To keep the new one: ${again(because)}` };
}

function remedyFor(field: Field, observed: Json, isHidden: boolean): string {
  const isShown = !isHidden && observed !== null;
  const now = isShown ? `Write ${JSON.stringify(observed)}, as the platform has it` : 'Write what the platform has';
  const onPurpose = 'To replace the object: write that and apply, then change the line and apply again.';
  return `${now}, or leave the line out.${isShown && field.onChange === 'replace' ? ` ${onPurpose}` : ''}`;
}
