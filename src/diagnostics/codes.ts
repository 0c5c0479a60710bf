/** One row of the table of codes: its page in docs/diagnostics shows it, with an example that really occurs. */
interface CodeEntry {
  /** An error stops the run, or the resource; a warning and a note do not. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly meaning: string;
  /** What to do about it, where the message itself does not say more. */
  readonly remedy: string;
}

/** Every code that a diagnostic can have. */
export const codes = {
  'yaml-syntax': {
    severity: 'error',
    meaning: 'The text is not valid YAML.',
    remedy: 'Correct the line. Quote values that contain ${…}, `: ` or ` #`.',
  },
  'file-unreadable': {
    severity: 'error',
    meaning: 'A file is missing, too large, not text, or outside the folder of the manifest.',
    remedy: 'Correct the path, or choose the folder with -C.',
  },
  'file-unwritable': {
    severity: 'error',
    meaning: 'A file cannot be written, or another one is in its place.',
    remedy: 'Move the file away, or choose another folder.',
  },
  'not-editable': {
    severity: 'error',
    meaning: 'Trueup cannot change a value in a YAML file without changing others, or what an expression gives.',
    remedy: 'Change the file by hand.',
  },
  'unknown-key': {
    severity: 'error',
    meaning: 'The manifest, or the input of a call, has a key that does not exist there.',
    remedy: 'Correct the key. The pages under docs/kinds list the keys of each kind.',
  },
  'wrong-type': {
    severity: 'error',
    meaning: 'A value has the wrong type or form.',
    remedy: 'Write a value as the message describes.',
  },
  'missing-key': {
    severity: 'error',
    meaning: 'A required key is missing.',
    remedy: 'Add the key.',
  },
  'defined-twice': {
    severity: 'error',
    meaning: 'Two places define the same thing, such as two included files.',
    remedy: 'Remove one of the two.',
  },
  'bad-expression': {
    severity: 'error',
    meaning: 'A ${…} expression cannot be evaluated.',
    remedy: 'Correct the expression, or write $${ for a literal ${.',
  },
  'misplaced-secret': {
    severity: 'error',
    meaning: 'A ${secret:…} stands in a value that Trueup shows, or finds objects by.',
    remedy: 'Write ${var:name} there, declare the variable, and set TRUEUP_VAR_name.',
  },
  'no-expression': {
    severity: 'warning',
    meaning: 'A ${…} that looks like an expression is none: Trueup passes it on as text.',
    remedy: 'Correct the word before the colon. If it is meant as text, leave it as it is.',
  },
  'splits-address': {
    severity: 'warning',
    meaning: 'A value in an address has a character that ends or splits the address, such as @ or /.',
    remedy: 'Write |urlencode behind the name: ${secret:PW|urlencode}.',
  },
  'adopt-only': {
    severity: 'warning',
    meaning: 'A block lacks keys that a creation needs: it can only adopt an object that exists.',
    remedy: 'Add the keys, unless the object exists.',
  },
  'no-unit': {
    severity: 'warning',
    meaning: 'A number is smaller than anybody means: its unit is probably missing.',
    remedy: 'Write the unit: 512Mi, 1.5, 30s.',
  },
  'bad-reference': {
    severity: 'error',
    meaning: 'A reference names something that does not exist, or references or requests form a circle.',
    remedy:
      'Correct the address or the name; break a circle by writing one value by hand, or by applying a part first.',
  },
  'not-exported': {
    severity: 'note',
    meaning: 'The platform has an object or a value that an export does not write into the manifest.',
    remedy: 'Nothing happens to it: Trueup does not manage what no block declares.',
  },
  'not-in-both': {
    severity: 'note',
    meaning: 'A Terraform state and the platform do not both have an object.',
    remedy: 'Check whether it was created or deleted in the dashboard, or lost from the Terraform state.',
  },
  'not-clearable': {
    severity: 'error',
    meaning: 'The value is null, and the platform has no empty value for this field.',
    remedy: 'Write a value, or leave the key out to stop managing it.',
  },
  'env-value': {
    severity: 'error',
    meaning: 'The platform cannot receive this environment variable unchanged.',
    remedy: 'Change the value as the message says.',
  },
  inconsistent: {
    severity: 'error',
    meaning: 'Two declarations contradict each other.',
    remedy: 'Make the two agree, or remove one.',
  },
  overlap: {
    severity: 'warning',
    meaning: 'Two declarations overlap. The platform allows that, but it is rarely intended.',
    remedy: 'Check that both are intended.',
  },
  'drift-memory': {
    severity: 'error',
    meaning: 'The file in which `trueup drift` remembers its findings cannot be used.',
    remedy: 'Correct the file, or restore an earlier version of it.',
  },
  'accepted-drift': {
    severity: 'error',
    meaning: 'The file of accepted drift cannot be used.',
    remedy: 'Correct the file, or restore an earlier version of it.',
  },
  'bad-move': {
    severity: 'error',
    meaning: 'An entry of moved: cannot be executed.',
    remedy: 'Correct the entry, or remove it.',
  },
  'hostile-setting': {
    severity: 'error',
    meaning: 'The manifest would print the API key, or send it, another credential or the state to another place.',
    remedy: 'Remove the setting. If you did not write it, find out who did before you run anything.',
  },
  unpinned: {
    severity: 'error',
    meaning: 'The environment does not say which platform or state this run may use, and a manifest cannot.',
    remedy: 'Set TRUEUP_URL or TRUEUP_STATE_URL where a pull request cannot change it: docs/pipelines.md.',
  },
  'private-source': {
    severity: 'error',
    meaning: 'The manifest reads a file or an environment variable that may hold secrets.',
    remedy: 'Write ${secret:NAME}. If you did not write the line, find out who did before you run anything.',
  },
  'state-unusable': {
    severity: 'error',
    meaning: 'The state is damaged, from another version, or belongs to another project.',
    remedy: 'Restore a copy of the state, or rebuild it with trueup state rebuild.',
  },
  'state-key': {
    severity: 'error',
    meaning: 'The key of the state is missing, malformed or cannot be kept.',
    remedy: 'Set TRUEUP_STATE_KEY, or make a key with trueup state key.',
  },
  'state-forged': {
    severity: 'error',
    meaning: 'The state or its journal was not written with its key.',
    remedy: 'Set the key that it was written with, or restore a copy of the state.',
  },
  'state-migrates': {
    severity: 'note',
    meaning: 'An earlier version wrote the state. The next apply authenticates it with a key of its own.',
    remedy: 'Keep a copy of the key: without it the state cannot be used.',
  },
  'state-older': {
    severity: 'error',
    meaning: 'The state is older than the one that was saved last, or that one is gone.',
    remedy:
      'Restore the newest state, accept an older one with trueup state accept-older, or make a new one with trueup state rebuild.',
  },
  'under-way': {
    severity: 'note',
    meaning: 'Another run is changing the platform while this one reads it, or was interrupted.',
    remedy: 'Plan again when the other run has ended; if it was interrupted, apply finishes what it had begun.',
  },
  locked: {
    severity: 'error',
    meaning: 'Another run holds the lock of the state.',
    remedy: 'Wait for it (--lock-timeout), or run trueup state unlock if that run no longer exists.',
  },
  'platform-answer': {
    severity: 'error',
    meaning: 'The platform refused a request, or answered something that Trueup cannot use.',
    remedy: 'Read the quoted answer; check the address, the API key and its rights.',
  },
  'not-found': {
    severity: 'error',
    meaning: 'The platform has no object with this id.',
    remedy: 'Correct the id, or plan to see what differs.',
  },
  ambiguous: {
    severity: 'error',
    meaning: 'Several objects of the platform match one resource.',
    remedy: 'Write id: in the block to name the one you mean.',
  },
  'foreign-object': {
    severity: 'error',
    meaning: 'An id in the state, or in id:, leads to an object of another project or organization.',
    remedy: 'Correct id:. If you did not write it, find out who changed the state, and restore a copy of it.',
  },
  'cannot-create': {
    severity: 'error',
    meaning: 'The resource cannot be created as it is declared.',
    remedy: 'Follow the message: often a required key is missing, or the object must exist already.',
  },
  unsupported: {
    severity: 'error',
    meaning: 'A block needs an operation that the platform does not serve.',
    remedy:
      'Check address, key and profile. Use a platform that serves the operation, or remove the block or the line.',
  },
  'not-served': {
    severity: 'warning',
    meaning:
      'The state has resources without blocks, of a kind that the platform does not serve: they stay as they are.',
    remedy:
      'Check address, key and version of the platform. If it has them no longer, remove them from the state with trueup state rm.',
  },
  'no-capabilities': {
    severity: 'warning',
    meaning: 'The platform tells its version, and its OpenAPI document cannot be read: it is not known what it serves.',
    remedy: 'Look with trueup doctor what the platform answers.',
  },
  'cannot-change': {
    severity: 'error',
    meaning: 'The platform has no operation for this change.',
    remedy: 'Undo the change in the manifest, or follow the message.',
  },
  'not-decrypted': {
    severity: 'error',
    meaning:
      'The platform cannot decrypt a value that it stores, because its encryption key was changed. Trueup shows no difference of cipher text, and overwrites none.',
    remedy:
      'Give the platform its old key again (ENCRYPTION_KEY, or BETTER_AUTH_SECRET) and restart it. If that key is lost, clear the field on the platform; then apply writes it again.',
  },
  'stale-move': {
    severity: 'warning',
    meaning: 'An entry of moved: names an address that the state does not know.',
    remedy: 'Correct from:, or remove the entry.',
  },
  protected: {
    severity: 'error',
    meaning:
      'The plan would delete or replace a resource that protect: true keeps, or that a past protect: true still keeps.',
    remedy: 'Undo the change, or write protect: false and apply that first.',
  },
  'not-empty': {
    severity: 'error',
    meaning: 'The plan would delete an environment that holds services which the state does not have.',
    remedy: 'Move or delete those services on the platform, or keep the environment.',
  },
  'data-at-risk': {
    severity: 'error',
    meaning: 'The change can lose data, and nothing permits that.',
    remedy: 'Permit it with --allow-data-loss, or with protect: false in the block.',
  },
  'still-protected': {
    severity: 'note',
    meaning: 'The state protects a resource, and its block does not say protect: any more.',
    remedy: 'Write protect: true again, or protect: false to lift the protection.',
  },
  'backup-moves': {
    severity: 'warning',
    meaning: 'A backup of a protected service goes to another destination or prefix.',
    remedy: 'Check that the new place works, and keep the old backups as long as you need them.',
  },
  'mass-deletion': {
    severity: 'warning',
    meaning: 'The plan deletes more objects of one kind than one edit usually means.',
    remedy: 'Check that no block or file was lost; permit it with --allow-mass-delete.',
  },
  vanished: {
    severity: 'warning',
    meaning: 'Many objects of the state are gone from the platform at once, and the plan creates them again.',
    remedy: 'Check that the platform is the right one; permit it with --allow-mass-recreate.',
  },
  gone: {
    severity: 'note',
    meaning: 'An object of the state is gone from the platform, and the plan creates it again.',
    remedy:
      'Check that this is the platform that you mean. If the object is gone on purpose, remove its block. Otherwise find out who deleted it: the new one has none of its data.',
  },
  'other-manifest': {
    severity: 'warning',
    meaning: 'The manifest declares nothing that the state holds: the state may be that of another manifest.',
    remedy: 'Give the manifest a state of its own, or add moved: entries; permit it with --allow-mass-delete.',
  },
  'deletes-everything': {
    severity: 'error',
    meaning: 'The plan would delete everything that the state holds.',
    remedy: 'Check project: and the files of the manifest. To delete everything, use trueup destroy.',
  },
  consent: {
    severity: 'error',
    meaning: 'The run needs a consent that it does not have, such as to take over an existing object.',
    remedy: 'Give it with the flag that the message names, or run the command on a terminal.',
  },
  'plan-file': {
    severity: 'error',
    meaning: 'A plan file cannot be read or written.',
    remedy: 'Name a file that trueup plan --out wrote, or a folder that can be written.',
  },
  'report-too-long': {
    severity: 'error',
    meaning:
      'A report in Markdown must name every deletion and all data at risk, and these names are too long for a comment.',
    remedy: 'Use --format html or --format json, or plan parts with --target.',
  },
  upgraded: {
    severity: 'error',
    meaning: 'The platform was upgraded after the plan, and gave an answer that Trueup did not expect.',
    remedy: 'Plan again: Trueup finds out what the new version serves.',
  },
  'plan-outdated': {
    severity: 'error',
    meaning: 'Something changed since the plan file was written.',
    remedy: 'Plan again, and review the new plan.',
  },
  hidden: {
    severity: 'error',
    meaning: 'A list of the platform lacks an object of the state: the API key may not see it, or it is gone.',
    remedy: 'Use an API key of the owner or an administrator, or run trueup plan again if the list was incomplete.',
  },
  'secret-missing': {
    severity: 'error',
    meaning: 'The run needs a secret that it does not have.',
    remedy: 'Set TRUEUP_SECRET_<NAME>, or declare a source under secrets:.',
  },
  'too-large': {
    severity: 'error',
    meaning: 'One request would be larger than the platform accepts, or the values of the manifest exceed a limit.',
    remedy: 'Make the file or the text smaller.',
  },
  ignored: {
    severity: 'note',
    meaning: 'The platform answered that a write succeeded, and ignored a value.',
    remedy:
      'Apply again: Trueup writes it once more. If the platform ignores it again, change the value or leave the line out.',
  },
  rewritten: {
    severity: 'note',
    meaning: 'The platform stores a value in another form.',
    remedy: 'Nothing: later plans compare with the form of the platform.',
  },
  'stored-anyway': {
    severity: 'warning',
    meaning:
      'The platform answered that a request failed, and did a part of it all the same, such as storing the values.',
    remedy:
      'Fix the reason in the message, and apply again: Trueup writes the values again until the platform accepts them.',
  },
  released: {
    severity: 'note',
    meaning: 'Trueup stops managing a field, because its key was removed from the manifest.',
    remedy: 'Nothing, if that is intended: the value on the platform stays.',
  },
  'drift-left': {
    severity: 'note',
    meaning: 'A value differs on the platform, and Trueup does not write it back.',
    remedy: 'Change it on the platform, or accept it in the manifest.',
  },
  accepted: {
    severity: 'note',
    meaning: 'A value differs on the platform, and a person accepted that until a day. Apply leaves it alone.',
    remedy: 'To put the value of the manifest back now, use --include-accepted.',
  },
  'acceptance-over': {
    severity: 'note',
    meaning:
      'An acceptance of drift counts no more: its day has passed, or the platform has another value since. Apply puts the value of the manifest back.',
    remedy: 'To keep what the platform has, accept it again: trueup drift accept.',
  },
  'acceptance-void': {
    severity: 'warning',
    meaning: 'An entry of the file of accepted drift counts for nothing.',
    remedy: 'Renew it with trueup drift accept, or remove it.',
  },
  'left-alone': {
    severity: 'note',
    meaning: 'Trueup leaves keys on the platform, because it does not know whether it wrote them.',
    remedy: 'Remove by hand those that should not stay.',
  },
  differs: {
    severity: 'warning',
    meaning: 'An object that a plan deletes was changed on the platform after the last apply.',
    remedy: 'Compare it on the platform before you apply.',
  },
  'goes-along': {
    severity: 'warning',
    meaning: 'A deletion also affects objects that the manifest does not declare.',
    remedy: 'Check those objects before you apply.',
  },
  'not-effective': {
    severity: 'note',
    meaning: 'The running service does not take up this change by itself.',
    remedy: 'Follow the message.',
  },
  unverified: {
    severity: 'note',
    meaning: 'A request was sent, and Trueup could not read back its effect.',
    remedy: 'Run trueup plan: it reads the platform again.',
  },
  pending: {
    severity: 'warning',
    meaning: 'A resource waits for a step that happens outside of Trueup.',
    remedy: 'Do that step, then apply again.',
  },
  'stays-there': {
    severity: 'warning',
    meaning: 'Trueup removes an object from the state, and the object stays on the platform.',
    remedy: 'Delete it on the platform if you no longer need it.',
  },
  'not-needed': {
    severity: 'note',
    meaning: 'The plan file contains a change that the platform has already.',
    remedy: 'Nothing: apply leaves it out.',
  },
  'not-read': {
    severity: 'note',
    meaning: 'Applying a plan file read only what the plan touches, and what that depends on.',
    remedy: 'Nothing: the next plan reads the rest. To read everything first, apply with --full.',
  },
  'similar-name': {
    severity: 'note',
    meaning: 'An object is created, and one of nearly the same name exists that is not managed.',
    remedy: 'If they are the same, write its name in the block, or import it.',
  },
  'project-renamed': {
    severity: 'warning',
    meaning: 'The manifest names its project otherwise than the platform does. The state knows the project by its id.',
    remedy: 'Write the new name, or the id, under project:.',
  },
  renamed: {
    severity: 'note',
    meaning: 'A deletion and a creation look like one rename.',
    remedy: 'Add an entry to moved: to keep the object and its data.',
  },
  'deploy-failed': {
    severity: 'error',
    meaning: 'A deployment failed, or did not end in time.',
    remedy: 'Correct what the log names, then apply again.',
  },
  'old-secret': {
    severity: 'warning',
    meaning: 'A narrowed plan writes a new value of a secret, and leaves out services that use it.',
    remedy: 'Plan those services too, or run trueup apply for the rest right after.',
  },
  'not-deployed': {
    severity: 'warning',
    meaning: 'A change is saved, and Trueup cannot deploy it.',
    remedy: 'Push to the repository, or deploy it in the platform.',
  },
  ordered: {
    severity: 'note',
    meaning: 'Trueup started a deployment and did not wait for its end.',
    remedy: 'Run trueup status to see how it ends.',
  },
  repeated: {
    severity: 'note',
    meaning: 'Trueup sent a request again, because the first one had no answer and no visible effect.',
    remedy: 'Nothing, unless a later plan warns about a duplicate.',
  },
  duplicate: {
    severity: 'warning',
    meaning: 'An object is, or would be, a duplicate: a create was sent or delivered twice, or a state was lost.',
    remedy: 'Compare the two on the platform, and delete the one you do not need.',
  },
  'not-notified': {
    severity: 'warning',
    meaning: 'A receiver of notifications did not confirm one. What is new stays new.',
    remedy: 'Correct the secret that the remedy names, or the receiver. The next run of trueup drift reports it again.',
  },
  'not-traced': {
    severity: 'warning',
    meaning: 'The trace of a run did not reach its collector. The run itself is not concerned.',
    remedy: 'Check the variables OTEL_EXPORTER_OTLP_…, and that the collector takes OTLP over HTTP.',
  },
  skipped: {
    severity: 'note',
    meaning: 'Apply did not try a resource, because something before it failed or the run was interrupted.',
    remedy: 'Correct the cause, then apply again.',
  },
  defect: {
    severity: 'error',
    meaning: 'Trueup itself has an error.',
    remedy: 'Report it. TRUEUP_DEBUG=1 shows where it happened.',
  },
  usage: {
    severity: 'error',
    meaning: 'The command line is not valid.',
    remedy: 'Run trueup --help, or trueup COMMAND --help.',
  },
} as const satisfies Record<string, CodeEntry>;

/** A code of the table. */
export type Code = keyof typeof codes;
