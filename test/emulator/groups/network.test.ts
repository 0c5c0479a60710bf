import { replays } from '../extension-samples.ts';

replays('network', {});
