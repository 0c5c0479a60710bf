import { expect, test } from 'vitest';
import { textsInSrc } from './texts-in-src.ts';

/**
 * Every text of src that advises to take something out of the manifest or the state, with the proof that its run has. What is
 * said because the platform lacks something is a `removal`: what to check stands before it, unless the run has proof.
 */
const proofs: Readonly<Record<string, readonly string[]>> = {
  removal: [
    'Use a platform that serves the operation, or remove the _.',
    'Correct id:, or remove the line to have a new one created.',
    'Make it there and apply again, pin an existing one with id:, or remove the block.',
    'If it is gone on purpose, remove its block.',
    'Connect it there. If the platform does not have it, remove the block, apply, and put it back._',
    "If the platform has _ no longer, run trueup state rm '_'.",
    'Remove the block: it is not to be managed.',
    'The platform cannot move _: remove the entry of moved:, so that it is deleted and created.',
    'Remove id: first.',
  ],
  'the manifest contradicts itself, or can never be so': [
    'Make the two agree, or leave one out.',
    'Give _ another environment, or remove one of the two root files.',
    'Write one of the values by hand, or leave one reference out.',
    'Remove it. A service is deployed after what its ${ref:…} name; after: adds others.',
    'Remove it: platform: at the top names the platform.',
    'Remove _ from unset, or its own line.',
    'Remove _ from after: of _.',
    'Write _: {} for none, or remove the line.',
    'Write _: {} for no fields, or remove the line.',
    'Write another _ in one of them, or remove it. For two objects that exist, write id: in both.',
    'Remove the line to stop managing it.',
    'Remove _, or correct _.',
    'Remove _, or write another _: this one takes _.',
    'Write "" for an empty value, or remove the line to remove the key.',
    'Restore the file, or remove the entry: applying without it deletes the resources that it declared.',
    'Remove the entry.',
    'Remove the entries of what is no longer declared, or correct their addresses:',
    'Remove this entry too: the error at _:_ lists all of them.',
    '_; declare _ there, or remove what mentions it.',
    'Keep the lines that are right, and remove those that begin with <<<<<<<, =======, ||||||| and >>>>>>>.',
    'Remove it, or quote the text that it belongs to.',
    'Remove the comma, or write "" for an empty text.',
    'Remove its spaces.',
    'Remove it, or quote the value.',
    'Remove them: no manifest needs any.',
    'Remove this entry too: the error at _:_ lists all of them.',
    'Remove the entries of what is no longer declared, or correct their addresses:',
    'Remove it: text with NUL cannot be stored.',
    'Remove it, or write _ in double quotes.',
    'Remove it. Bytes that are no text can be passed as base64.',
    'Remove it.',
    'Remove the block, or choose another path.',
    'Remove the line.',
    'Write the sections of _ at the top of the file, without _:; or remove _:.',
    'Write _: { env: { … } }, or remove the line.',
    'Remove the line: _ names the environment.',
    'Change this value under changes: too, or remove that !reset.',
    'Take it out of seed: too, or remove that !reset.',
    'Break the circle: remove one use:.',
    'Remove it, and write _ into the block that it is meant for.',
    'Remove the line. To show a value in plans, take its name out of the list that calls it private.',
    'Remove the tag, or the line.',
    'Write ${param:_} in it, or remove the parameter.',
    'Write use: NAME beside it, or remove the line.',
    'Add sqldNode: replica, or remove sqldPrimaryUrl.',
    'Add it with --target, or leave out --replace for it.',
    'Leave out --replace for it.',
    'Leave out --id, or name the address that it belongs to.',
    'Leave them out; --tail limits it.',
    'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … }, or leave it out. Credentials come from the environment: docs/state.md.',
  ],
  'the kind has no such field at this place, on any platform': [
    'the platform stores no server for a destination; remove the line',
    'a domain of an application leads to the application itself; remove the line',
    'the platform never changes an internal name; remove appName, or create a new service',
    'a schedule without a script does nothing; remove the block',
    'a MongoDB makes a database when a client first writes to it; remove the line',
    'the platform has one type only, cloud; remove the line',
    'the platform logs in at once and stores no server; remove the line',
    'the platform writes it when a person connects the provider; remove the line',
    'the platform writes it when a person sets up monitoring; remove the line',
  ],
  'the platform showed the object at fault, by its id': [
    'Change the value, or leave the line out: Trueup does not write this value again.',
    'Change the value, or leave the line out.',
    '_, or leave the line out._',
    'Remove the line: Trueup then leaves the field as it is.',
    'Write id: with the one that is meant, or remove the others on the platform.',
    'Remove them on the platform, or apply once with accessMode: own.',
    "Compare _ with the object that you mean. To manage that instead, run trueup state rm '_' first.",
    "Look at _ on the platform. To keep it: trueup state rm '_'. If it may go, apply needs _.",
    'Write id: with the one that is meant, or remove the other on the platform.',
  ],
  'the state and the manifest, whatever the platform has': [
    'Correct to:, or remove the entry._',
    'Remove its block: one object cannot have two addresses.',
    'Remove the entry, or the other object.',
    'Correct from:, as `trueup state list` prints it; or remove the entry.',
    'One object has one address: remove one of the two, or correct id:.',
    'One object has one block: remove one of the two. _',
    'Move that one, or remove it with trueup state rm.',
    "Check that _ is the state of this manifest. Then trueup state rm '_' removes it there.",
    'Put its block back; to delete it, write protect: false, apply, and remove the block then.',
    'put their blocks back with protect: false, apply that, and remove them then',
    'put its block back with protect: false, apply that, and remove it then',
    'To renew it: _. Or remove the entry.',
    'Remove one: trueup destroy -f _ --preview _. Or run trueup preview prune, or raise most: in _.',
    'Run trueup destroy -f _ and remove that file first.',
    'Run trueup preview prune -f _ --open none and remove that file first.',
    'Restore it from a copy. Without one, remove it: each preview is listed again by its next apply.',
  ],
  'a file of this machine': [
    'Remove one of the two. Of entries that were merged, keep the one that is accepted.',
    'Put a file in its place, or remove it: trueup drift makes a new one.',
    'Correct the file, or remove it to begin with a fresh world. It is in _.',
    'Wait for it to end. If it is gone for good, remove the folder _.',
    'Remove the link. If you did not make it, find out who did. To keep the state elsewhere: docs/state.md.',
    'Remove the link.',
    'Remove the line, run trueup secret set _ with a new value, and withdraw the old one: git keeps it.',
    'Nothing was overwritten that counts. Remove it, or run again: it is older than the state, and not read any more.',
    'Nothing was written. No number of runs leads there: that version was written into the lock by hand. Find out who can write the place of the state, and remove the lock there: the folder lease, the row of the table lease, or the object.',
  ],
  'stands behind what creates the object again': ['remove its block from the manifest'],
  'no advice of its own': [
    'leave it for now',
    'remove from the state',
    'what the member may do stays as it is; `trueup call user.remove` removes the member',
  ],
};

const removes = /\b(?:remove|leave (?:it|them|out|the line|one|one reference) ?(?:out)?|state rm)\b/i;

test('every advice to remove something has its proof, and waits for it where the platform lacks something', () => {
  const found = textsInSrc(removes).map(({ parts, name }) => ({
    text: parts.join('_'),
    isRemoval: name === 'removal',
  }));
  const known = new Map(
    Object.entries(proofs).flatMap(([proof, texts]) => texts.map((text) => [text, proof] as const)),
  );
  expect(found.filter(({ text }) => !known.has(text)).map(({ text }) => text)).toEqual([]);
  expect([...known.keys()].filter((text) => !found.some((one) => one.text === text))).toEqual([]);
  for (const { text, isRemoval } of found) expect([text, isRemoval]).toEqual([text, known.get(text) === 'removal']);
});
