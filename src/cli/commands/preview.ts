import type { Group } from '../command.ts';

export const command: Group = {
  examples: ['trueup preview list -f preview.yaml', 'trueup preview prune -f preview.yaml --open 12,15 --auto-approve'],
};
