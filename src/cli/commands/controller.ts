import type { Group } from '../command.ts';

export const command: Group = {
  notes: `The controller keeps many platforms in step with many repositories, on PostgreSQL. Install its queue once:
  npm install --global pg-boss@12.38.0

Environment:
  TRUEUP_CONTROLLER_URL  the database: postgres://user:password@host/database; its user creates schemas there
  TRUEUP_STATE_KEY       key of all states of this controller; trueup controller key makes one
  TRUEUP_CONTROLLER_URL_FILE, TRUEUP_STATE_KEY_FILE
                         files with these, such as \${CREDENTIALS_DIRECTORY}/state-key`,
  examples: ['trueup controller enrol --help', 'trueup controller work --concurrency 4', 'trueup controller doctor'],
};
