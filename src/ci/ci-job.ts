import type { Environment } from '../project/folder.ts';
import type { Forge } from './forge-of-job.ts';
import type { PlannedManifest } from './planned-manifest.ts';
import type { CiOptions } from './ci-options.ts';
import type { Report } from './ci-report.ts';
import type { Trueup } from './trueup.ts';

/** One job of a pipeline. */
export interface Job {
  readonly env: Environment;
  readonly cwd: string;
  readonly options: CiOptions;
  /** undefined: the job runs nowhere, such as on a desk; it stores nothing and comments nowhere. */
  readonly forge: Forge | undefined;
  readonly manifest: PlannedManifest;
  readonly trueup: Trueup;
  readonly report: Report;
}
