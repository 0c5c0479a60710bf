import type { Code } from '../../src/diagnostics/codes.ts';
import { inManifests } from './remedies-in-manifests.ts';
import { inPlans } from './remedies-in-plans.ts';
import { inRuns } from './remedies-in-runs.ts';
import type { Row } from './remedy.ts';

/** The remedies of every code. */
export const remedies: Readonly<Record<Code, Row>> = { ...inManifests, ...inPlans, ...inRuns };
