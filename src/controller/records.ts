import type { Pool } from 'pg';
import { alarmsIn } from './records/alarms.ts';
import { databaseIn } from './records/database.ts';
import { deliveriesIn } from './records/deliveries.ts';
import { eventsIn } from './records/events.ts';
import { figuresIn } from './records/figures.ts';
import { messagesIn } from './records/messages.ts';
import { plansIn } from './records/plans.ts';
import { platformsIn } from './records/platforms.ts';
import { previewsIn } from './records/previews.ts';
import { progressIn } from './records/progress.ts';
import { proposalsIn } from './records/proposals.ts';
import { pullsIn } from './records/pulls.ts';
import { retentionIn } from './records/retention.ts';
import { runsIn } from './records/runs.ts';
import { sessionsIn } from './records/sessions.ts';
import { shownEventsIn } from './records/shown-events.ts';
import { shownRegistersIn } from './records/shown-registers.ts';
import { shownRunsIn } from './records/shown-runs.ts';
import { shownStacksIn } from './records/shown-stacks.ts';
import { sourcesIn } from './records/sources.ts';
import { stacksIn } from './records/stacks.ts';
import { statusesIn } from './records/statuses.ts';
import { wavesIn } from './records/waves.ts';
import { workersIn } from './records/workers.ts';

export type { PlanRecord } from './records/plans.ts';
export type { DueStack } from './records/place-stacks.ts';
export type { PlatformRecord } from './records/platforms.ts';
export type { RunBegin } from './records/begin-run.ts';
export type { NewSource, Policy, SourceRecord } from './records/sources.ts';
export type { StackFiles, StackRecord } from './records/stacks.ts';
export type { SiteRecord } from './records/workers.ts';

/** The tables of a controller, a file for each in `records/`. Every method is one transaction. */
export type Records = ReturnType<typeof recordsIn>;

/** Opens the tables in a schema, which `migrate` made. Sends nothing yet. */
export function recordsIn(pool: Pool, schema: string) {
  const db = databaseIn(pool, schema);
  return {
    ...deliveriesIn(db),
    ...alarmsIn(db),
    ...messagesIn(db),
    ...figuresIn(db),
    ...platformsIn(db),
    ...sourcesIn(db),
    ...stacksIn(db),
    ...plansIn(db),
    ...runsIn(db),
    ...progressIn(db),
    ...retentionIn(db),
    ...wavesIn(db),
    ...workersIn(db),
    ...eventsIn(db),
    ...statusesIn(db),
    ...pullsIn(db),
    ...previewsIn(db),
    ...proposalsIn(db),
    ...sessionsIn(db),
    ...shownStacksIn(db),
    ...shownRunsIn(db),
    ...shownEventsIn(db),
    ...shownRegistersIn(db),
  };
}
