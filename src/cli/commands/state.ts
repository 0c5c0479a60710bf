import type { Group } from '../command.ts';

export const command: Group = { examples: ['trueup state list', 'trueup state show production.compose.shop'] };
