import type { settingsShape } from './settings-shape.ts';

/** The form of the names of variables and outputs, in words. */
const ruleOfNames = 'a name begins with a letter or "_", and has only letters, digits, "_" and "-".';

/** How each setting is written. */
export const remedies: Record<keyof typeof settingsShape, string> = {
  trueup: 'Write trueup: 1 at the top of the file.',
  state:
    'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … }, or leave it out. Credentials come from the environment: docs/state.md.',
  include: 'Write a list of files: include: [environments/*.yaml].',
  variables: `Write variables: { name: { default: value } }; ${ruleOfNames}`,
  templates:
    'Write templates: { web: { parameters: { port: { type: number } }, block: { … } } }, with the keys of a block below block:.',
  changes: 'Write changes: { application: { api: { replicas: 2 } } }.',
  outputs: `Write outputs: { name: "\${ref:address.output}" }; ${ruleOfNames}`,
  generated: 'Write generated: { DB_PASSWORD: { length: 32 }, SIGNING: ed25519 }.',
  moved: 'Write a list: moved: [{ from: address, to: address }].',
  secrets:
    'Write a list of { file: secrets.env }, { sealed: secrets/production.env, recipients: [age1…] } and { command: [pass, show, "shop/{name}"] }; docs/secrets.md has all sources. The identity for age comes from TRUEUP_AGE_IDENTITY or TRUEUP_AGE_IDENTITY_FILE.',
  preview: 'Write preview: {}, or preview: { for: 3d, most: 10, seed: [application.api.schedules.seed] }.',
  drift:
    'Write drift: { ignore: [{ address: production.compose.shop, field: env.REGION }], notify: [{ url: "${secret:HOOK}", as: slack }] }. docs/drift.md has all keys.',
  platform: 'Write platform: { url: https://… }, or set TRUEUP_URL. To try things out, write platform: emulator.',
  environment:
    'Write environment: with the name of the environment, or environment: { name: staging, description: Before release }.',
  project: 'Write project: with the name of the project, or with its id, which stands in the address of its page.',
};
