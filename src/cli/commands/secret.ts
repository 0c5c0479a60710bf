import type { Group } from '../command.ts';

export const command: Group = {
  examples: ['trueup secret list -f staging.yaml', 'trueup secret set DB_PASSWORD -f staging.yaml'],
};
