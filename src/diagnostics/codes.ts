/** One row of the table of codes: its page in docs/diagnostics shows it, with an example that really occurs. */
interface CodeEntry {
  /** An error stops the run, or the resource; a warning and a note do not. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly meaning: string;
  /** What to do about it, where the message itself does not say more. */
  readonly remedy: string;
}

function error(meaning: string, remedy: string): CodeEntry {
  return { severity: 'error', meaning, remedy };
}

function warning(meaning: string, remedy: string): CodeEntry {
  return { severity: 'warning', meaning, remedy };
}

function note(meaning: string, remedy: string): CodeEntry {
  return { severity: 'note', meaning, remedy };
}

/** Every code that a diagnostic can have. */
export const codes = {
  'yaml-syntax': error(
    'The text is not valid YAML.',
    'Correct the line. Quote values that contain ${…}, `: ` or ` #`.',
  ),
  'file-unreadable': error(
    'A file is missing, too large, not text, or outside the folder of the manifest.',
    'Correct the path, or choose the folder with -C.',
  ),
  'file-unwritable': error(
    'A file cannot be written, or another one is in its place.',
    'Move the file away, or choose another folder.',
  ),
  'not-editable': error(
    'Trueup cannot change a value in a YAML file without changing others, or what an expression gives.',
    'Change the file by hand.',
  ),
  'unknown-key': error(
    'The manifest, or the input of a call, has a key that does not exist there.',
    'Correct the key. The pages under docs/kinds list the keys of each kind.',
  ),
  'wrong-type': error('A value has the wrong type or form.', 'Write a value as the message describes.'),
  'missing-key': error('A required key is missing.', 'Add the key.'),
  'defined-twice': error('Two places define the same thing, such as two included files.', 'Remove one of the two.'),
  'not-in-previews': error(
    'A preview has something that is not its own: a host, a port or an object of others, or one that it did not create.',
    'Give it a variable with ${preview:id}, or take it out of the preview below changes:.',
  ),
  'too-many-previews': error(
    'The root file allows no more previews at a time.',
    'Remove one with trueup destroy --preview, run trueup preview prune, or raise most:.',
  ),
  'bad-expression': error(
    'A ${…} expression cannot be evaluated.',
    'Correct the expression, or write $${ for a literal ${.',
  ),
  'misplaced-secret': error(
    'A ${secret:…} stands in a value that Trueup shows, or finds objects by.',
    'Write ${var:name} there, declare the variable, and set TRUEUP_VAR_name.',
  ),
  'no-expression': warning(
    'A ${…} that looks like an expression is none: Trueup passes it on as text.',
    'Correct the word before the colon. If it is meant as text, leave it as it is.',
  ),
  'unused-parameter': warning(
    'A parameter of a template stands in no value of its block: what a use gives to it has no effect.',
    'Write ${param:name} in the block, or remove the parameter.',
  ),
  'splits-address': warning(
    'A value in an address has a character that ends or splits the address, such as @ or /.',
    'Write |urlencode behind the name: ${secret:PW|urlencode}.',
  ),
  'adopt-only': warning(
    'A block lacks keys that a creation needs: it can only adopt an object that exists.',
    'Add the keys, unless the object exists.',
  ),
  'no-unit': warning(
    'A number is smaller than anybody means: its unit is probably missing.',
    'Write the unit: 512Mi, 1.5, 30s.',
  ),
  'unknown-permission': warning(
    'A custom role has a resource or an action that this version of Trueup does not know.',
    'Correct the word. If the platform is newer and has it, leave it: apply sends it as it is.',
  ),
  'bad-reference': error(
    'A reference names something that does not exist, or references or requests form a circle.',
    'Correct the address or the name; break a circle by writing one value by hand, or by applying a part first.',
  ),
  'not-exported': note(
    'The platform has an object or a value that an export does not write into the manifest.',
    'Nothing happens to it: Trueup does not manage what no block declares.',
  ),
  'not-in-both': note(
    'A Terraform state and the platform do not both have an object.',
    'Check whether it was created or deleted in the dashboard, or lost from the Terraform state.',
  ),
  'not-clearable': error(
    'The value is null, and the platform has no empty value for this field.',
    'Write a value, or leave the key out to stop managing it.',
  ),
  'env-value': error(
    'The platform cannot receive this environment variable unchanged.',
    'Change the value as the message says.',
  ),
  'not-compose': error(
    'The text of a compose is no compose file: each deployment of it fails.',
    'Write a map with services:, or ${file:…} with the path of the file.',
  ),
  'not-in-source': error(
    'A compose file names a file or folder that its source does not have: a raw one has its text, and what stands under files:.',
    'Write the file under files: and name it ../files/NAME, or take the compose from a repository.',
  ),
  'unset-variable': warning(
    'A compose file uses a variable that is set nowhere: compose fills in an empty text, or refuses what that leaves of an image, a port or a volume.',
    'Write the variable under env:, or a default in the compose file, as in ${NAME:-value}.',
  ),
  'unused-env': note(
    'Variables of a compose reach none of its services: the compose file does not use them.',
    'Name them under environment: in the compose file, or write env_file: .env there.',
  ),
  'env-line': warning(
    'A line of an env text sets no variable, or one that a later line sets again.',
    'Write NAME=value, each name once.',
  ),
  'refused-expression': error(
    'A value has a $ that compose or the platform cannot read: each deployment of it fails.',
    'Double a $ that is meant as text in a compose file.',
  ),
  'rewritten-file': warning(
    'The platform reads and writes a compose file before it deploys it, and a value changes thereby.',
    'Write the value in the form that the message names.',
  ),
  'lost-route': warning(
    'What the platform adds to services of a compose for a domain or for isolatedDeployment replaces, shares or breaks something of them, or the service does not start.',
    'Write what the service needs into the service itself, or turn its profile on.',
  ),
  'refused-setting': error(
    'A setting, or something in a compose file, makes each deployment fail.',
    'Change it as the message says.',
  ),
  'ignored-setting': warning(
    'A setting, or something in the compose file of a stack, has no effect beside the others.',
    'Remove it.',
  ),
  'unmounted-file': warning(
    'A file under files: is mounted by no service, or a service mounts one that no entry writes.',
    'Write the same path in both.',
  ),
  'lost-folder': warning(
    'A service mounts a folder of the source of a raw compose, which each deployment removes and makes anew.',
    'Mount a folder below ../files, which stays, and write files under files:.',
  ),
  'unkept-data': warning(
    'A program keeps its data in a folder of its container, although a volume is mounted elsewhere.',
    'Mount the volume where the program keeps its data, or tell the program to keep them in the volume.',
  ),
  'no-certificate': warning(
    'A domain of a compose has https: true and no certificateType: the proxy answers with its own certificate, and browsers warn.',
    'Write certificateType: letsencrypt. Write none where the proxy has a certificate for the name.',
  ),
  'unread-file': note(
    'The compose file of a compose is in its repository: Trueup does not read it, and checks nothing in it.',
    'Check the file there, with docker compose config.',
  ),
  'must-exist': note(
    'A service of a compose file uses an external volume or an image that docker does not fetch: the server must have them.',
    'Make the volume or load the image on the server first, or let compose do so.',
  ),
  'default-port': note(
    'A new domain names no port: the platform routes it to port 3000 of the container.',
    'Write port: with the port on which the program listens.',
  ),
  'backup-fails': warning(
    'A backup lacks what the platform needs to dump a database inside a compose, or copies a volume that the platform does not reach: each of its runs fails, or copies nothing.',
    'Write what the message names into the block of the backup.',
  ),
  'stray-dollar': warning(
    'A value has a ${NAME} that is not read as it is written: nothing fills it in, or docker compose does on an older platform.',
    'Write ${var:NAME} for a variable of the manifest, or ${{NAME}} in env for another key of the same env.',
  ),
  allowed: note(
    'A block allows what Trueup would warn of or refuse.',
    'Look at the reason; remove it from allow: when it is over.',
  ),
  inconsistent: error('Two declarations contradict each other.', 'Make the two agree, or remove one.'),
  overlap: warning(
    'Two declarations overlap. The platform allows that, but it is rarely intended.',
    'Check that both are intended.',
  ),
  'drift-memory': error(
    'The file in which `trueup drift` remembers its findings cannot be used.',
    'Correct the file, or restore an earlier version of it.',
  ),
  'accepted-drift': error(
    'The file of accepted drift cannot be used.',
    'Correct the file, or restore an earlier version of it.',
  ),
  'bad-move': error('An entry of moved: cannot be executed.', 'Correct the entry, or remove it.'),
  'hostile-setting': error(
    'The manifest would print the API key, or send it, another credential or the state to another place.',
    'Remove the setting. If you did not write it, find out who did before you run anything.',
  ),
  unpinned: error(
    'The environment does not say which platform or state this run may use, and a manifest cannot.',
    'Set TRUEUP_URL or TRUEUP_STATE_URL where a pull request cannot change it: docs/pipelines.md.',
  ),
  'private-source': error(
    'The manifest reads a file or an environment variable that may hold secrets.',
    'Write ${secret:NAME}. If you did not write the line, find out who did before you run anything.',
  ),
  ciphertext: error(
    'A value is what a tool such as sops has encrypted: the platform would get the ciphertext.',
    'Name the file under secrets: as the source that the message says, and write ${secret:NAME}.',
  ),
  'sealed-file': error(
    'A sealed file of secrets has a line that is no sealed value, or a value that does not open.',
    'Change the file with trueup secret only; restore it from git.',
  ),
  'state-unusable': error(
    'The state is damaged, from another version, or belongs to another project.',
    'Restore a copy of the state, or rebuild it with trueup state rebuild.',
  ),
  'state-key': error(
    'The key of the state is missing, malformed or cannot be kept.',
    'Set TRUEUP_STATE_KEY, or make a key with trueup state key.',
  ),
  'state-forged': error(
    'The state or its journal was not written with its key.',
    'Set the key that it was written with, or restore a copy of the state.',
  ),
  'state-migrates': note(
    'An earlier version wrote the state. The next apply authenticates it with a key of its own.',
    'Keep a copy of the key: without it the state cannot be used.',
  ),
  'state-older': error(
    'The state is older than the one that was saved last, or that one is gone.',
    'Restore the newest state, accept an older one with trueup state accept-older, or make a new one with trueup state rebuild.',
  ),
  'under-way': note(
    'Another run is changing the platform while this one reads it, or was interrupted.',
    'Plan again when the other run has ended; if it was interrupted, apply finishes what it had begun.',
  ),
  locked: error(
    'Another run holds the lock of the state.',
    'Wait for it (--lock-timeout), or run trueup state unlock if that run no longer exists.',
  ),
  'platform-answer': error(
    'The platform refused a request, or answered something that Trueup cannot use.',
    'Read the quoted answer; check the address, the API key and its rights.',
  ),
  'not-found': error('The platform has no object with this id.', 'Correct the id, or plan to see what differs.'),
  ambiguous: error(
    'Several objects of the platform match one resource.',
    'Write id: in the block to name the one you mean.',
  ),
  'foreign-object': error(
    'An id in the state, or in id:, leads to an object of another project or organization.',
    'Correct id:. If you did not write it, find out who changed the state, and restore a copy of it.',
  ),
  'cannot-create': error(
    'The resource cannot be created as it is declared.',
    'Follow the message: often a required key is missing, or the object must exist already.',
  ),
  unsupported: error(
    'A block needs an operation that the platform does not serve.',
    'Check address, key and profile. Use a platform that serves the operation, or remove the block or the line.',
  ),
  'not-served': warning(
    'The state has resources without blocks, of a kind that the platform does not serve: they stay as they are.',
    'Check address, key and version of the platform. If it has them no longer, remove them from the state with trueup state rm.',
  ),
  'no-capabilities': warning(
    'The platform tells its version, and its OpenAPI document cannot be read: it is not known what it serves.',
    'Look with trueup doctor what the platform answers.',
  ),
  'cannot-change': error(
    'The platform has no operation for this change.',
    'Undo the change in the manifest, or follow the message.',
  ),
  'not-decrypted': error(
    'The platform cannot decrypt a value that it stores, because its encryption key was changed. Trueup shows no difference of cipher text, and overwrites none.',
    'Give the platform its old key again (ENCRYPTION_KEY, or BETTER_AUTH_SECRET) and restart it. If that key is lost, clear the field on the platform; then apply writes it again.',
  ),
  'stale-move': warning(
    'An entry of moved: names an address that the state does not know.',
    'Correct from:, or remove the entry.',
  ),
  protected: error(
    'The plan would delete or replace a resource that protect: true keeps, or that a past protect: true still keeps.',
    'Undo the change, or write protect: false and apply that first.',
  ),
  'not-empty': error(
    'The plan would delete an environment that holds services which the state does not have.',
    'Move or delete those services on the platform, or keep the environment.',
  ),
  'data-at-risk': error(
    'The change can lose data, and nothing permits that.',
    'Permit it with --allow-data-loss, or with protect: false in the block.',
  ),
  'still-protected': note(
    'The state protects a resource, and its block does not say protect: any more.',
    'Write protect: true again, or protect: false to lift the protection.',
  ),
  'backup-moves': warning(
    'The backups of a protected service go to another destination, bucket or prefix.',
    'Check that the new place works, and keep the old backups as long as you need them.',
  ),
  'dashboard-moves': warning(
    'The dashboard of the platform, with its API, gets another host: the proxy routes the one of before no more.',
    'Point the DNS of the new host to the server, and write an address into platform: that stays, such as that of the server with its port.',
  ),
  'mass-deletion': warning(
    'The plan deletes more objects of one kind than one edit usually means.',
    'Check that no block or file was lost; permit it with --allow-mass-delete.',
  ),
  vanished: warning(
    'Many objects of the state are gone from the platform at once, and the plan creates them again.',
    'Check that the platform is the right one; permit it with --allow-mass-recreate.',
  ),
  gone: note(
    'An object of the state is gone from the platform, and the plan creates it again.',
    'Check that this is the platform that you mean. If the object is gone on purpose, remove its block. Otherwise find out who deleted it: the new one has none of its data.',
  ),
  'other-manifest': warning(
    'The manifest declares nothing that the state holds: the state may be that of another manifest.',
    'Give the manifest a state of its own, or add moved: entries; permit it with --allow-mass-delete.',
  ),
  'owned-twice': error(
    'Two root files of a folder declare the same environment, object of the organization, project or domain, or keep their states in one place: each run would undo the other.',
    'Keep it in one of the two root files, or in a file that only one of them includes.',
  ),
  'unread-root-file': warning(
    'Another root file of the folder cannot be read, so nothing tells whether both declare the same.',
    'Run trueup validate for that file.',
  ),
  'deletes-everything': error(
    'The plan would delete everything that the state holds.',
    'Check project: and the files of the manifest. To delete everything, use trueup destroy.',
  ),
  consent: error(
    'The run needs a consent that it does not have, such as to take over an existing object.',
    'Give it with the flag that the message names, or run the command on a terminal.',
  ),
  'plan-file': error(
    'A plan file cannot be read or written.',
    'Name a file that trueup plan --out wrote, or a folder that can be written.',
  ),
  'report-too-long': error(
    'A report in Markdown must name every deletion and all data at risk, and these names are too long for a comment.',
    'Use --format html or --format json, or plan parts with --target.',
  ),
  upgraded: error(
    'The platform was upgraded after the plan, and gave an answer that Trueup did not expect.',
    'Plan again: Trueup finds out what the new version serves.',
  ),
  'plan-outdated': error('Something changed since the plan file was written.', 'Plan again, and review the new plan.'),
  hidden: error(
    'A list of the platform lacks an object of the state: the API key may not see it, or it is gone.',
    'Use an API key of the owner or an administrator, or run trueup plan again if the list was incomplete.',
  ),
  'secret-missing': error(
    'The run needs a secret that it does not have.',
    'Set TRUEUP_SECRET_<NAME>, or declare a source under secrets:.',
  ),
  'too-large': error(
    'One request would be larger than the platform accepts, or the values of the manifest or the files of a commit exceed a limit.',
    'Make the file or the text smaller.',
  ),
  ignored: note(
    'The platform answered that a write succeeded, and ignored a value.',
    'Apply again: Trueup writes it once more. If the platform ignores it again, change the value or leave the line out.',
  ),
  rewritten: note(
    'The platform stores a value in another form.',
    'Nothing: later plans compare with the form of the platform.',
  ),
  'stored-anyway': warning(
    'The platform answered that a request failed, and did a part of it all the same, such as storing the values.',
    'Fix the reason in the message, and apply again: Trueup writes the values again until the platform accepts them.',
  ),
  released: note(
    'Trueup stops managing a field, because its key was removed from the manifest.',
    'Nothing, if that is intended: the value on the platform stays.',
  ),
  'drift-left': note(
    'A value differs on the platform, and Trueup does not write it back.',
    'Change it on the platform, or accept it in the manifest.',
  ),
  'create-only': note(
    'The manifest has a new value for a field in createOnly of its block. Trueup writes it to new objects only.',
    'Remove the name from createOnly, so that Trueup writes the value.',
  ),
  accepted: note(
    'A value differs on the platform, and a person accepted that until a day. Apply leaves it alone.',
    'To put the value of the manifest back now, use --include-accepted.',
  ),
  'acceptance-over': note(
    'An acceptance of drift counts no more: its day has passed, or the platform has another value since. Apply puts the value of the manifest back.',
    'To keep what the platform has, accept it again: trueup drift accept.',
  ),
  'acceptance-void': warning(
    'An entry of the file of accepted drift counts for nothing.',
    'Renew it with trueup drift accept, or remove it.',
  ),
  'left-alone': note(
    'Trueup leaves keys on the platform, because it does not know whether it wrote them.',
    'Remove by hand those that should not stay.',
  ),
  differs: warning(
    'An object that a plan deletes was changed on the platform after the last apply.',
    'Compare it on the platform before you apply.',
  ),
  'goes-along': warning(
    'A deletion also affects objects that the manifest does not declare.',
    'Check those objects before you apply.',
  ),
  'not-effective': note('The running service does not take up this change by itself.', 'Follow the message.'),
  unverified: note(
    'A request was sent, and Trueup could not read back its effect.',
    'Run trueup plan: it reads the platform again.',
  ),
  pending: warning('A resource waits for a step that happens outside of Trueup.', 'Do that step, then apply again.'),
  'stays-there': warning(
    'Trueup removes an object from the state, and the object stays on the platform.',
    'Delete it on the platform if you no longer need it.',
  ),
  'not-needed': note('The plan file contains a change that the platform has already.', 'Nothing: apply leaves it out.'),
  'not-read': note(
    'Applying a plan file read only what the plan touches, and what that depends on.',
    'Nothing: the next plan reads the rest. To read everything first, apply with --full.',
  ),
  'similar-name': note(
    'An object is created, and one of nearly the same name exists that is not managed.',
    'If they are the same, write its name in the block, or import it.',
  ),
  'project-renamed': warning(
    'The manifest names its project otherwise than the platform does. The state knows the project by its id.',
    'Write the new name, or the id, under project:.',
  ),
  renamed: note(
    'A deletion and a creation look like one rename.',
    'Add an entry to moved: to keep the object and its data.',
  ),
  'deploy-failed': error(
    'A deployment failed, or did not end in time.',
    'Correct what the log names, then apply again.',
  ),
  'failed-before': warning(
    'A change was deployed and failed, and the service has `deploy: { onFailure: restore }`. Apply does not repeat it.',
    'Fix the change in the manifest. trueup apply --retry-failed repeats it.',
  ),
  'no-restore': note(
    'A service has `deploy: { onFailure: restore }`, and apply could not restore its former version after this deployment.',
    'Nothing, if that is intended: when the deployment fails, the new values stay.',
  ),
  'no-probe': note(
    'A domain has a `probe:`, and apply does not ask its address after this deployment, because its port is not known.',
    'Add the port to the probe.',
  ),
  'seed-failed': error(
    'What seed: names ran and failed, or its end is not known.',
    'Correct what the log names, then apply again.',
  ),
  'overridden-secret': warning(
    'A plain variable of the environment gives a secret that a source of the root file has too.',
    'Unset the variable, or name it for the stage: TRUEUP__<STAGE>__SECRET_<NAME>.',
  ),
  'old-secret': warning(
    'A narrowed plan writes a new value of a secret, and leaves out services that use it.',
    'Plan those services too, or run trueup apply for the rest right after.',
  ),
  'not-deployed': warning(
    'A change is saved, and Trueup cannot deploy it.',
    'Push to the repository, or deploy it in the platform.',
  ),
  ordered: note('Trueup started a deployment and did not wait for its end.', 'Run trueup status to see how it ends.'),
  repeated: note(
    'Trueup sent a request again, because the first one had no answer and no visible effect.',
    'Nothing, unless a later plan warns about a duplicate.',
  ),
  duplicate: warning(
    'An object is, or would be, a duplicate: a create was sent or delivered twice, or a state was lost.',
    'Compare the two on the platform, and delete the one you do not need.',
  ),
  'not-notified': warning(
    'A receiver of notifications did not confirm one. What is new stays new.',
    'Correct the secret that the remedy names, or the receiver. The next run of trueup drift reports it again.',
  ),
  'not-traced': warning(
    'The trace of a run did not reach its collector. The run itself is not concerned.',
    'Check the variables OTEL_EXPORTER_OTLP_…, and that the collector takes OTLP over HTTP.',
  ),
  skipped: note(
    'Apply did not try a resource, because something before it failed or the run was interrupted.',
    'Correct the cause, then apply again.',
  ),
  defect: error('Trueup itself has an error.', 'Report it. TRUEUP_DEBUG=1 shows where it happened.'),
  usage: error('The command line is not valid.', 'Run trueup --help, or trueup COMMAND --help.'),
};

/** A code of the table. */
export type Code = keyof typeof codes;
