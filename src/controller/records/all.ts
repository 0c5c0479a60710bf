import type { Pool } from 'pg';
import { alarmsIn } from './alarms.ts';
import { databaseIn } from './database.ts';
import { deliveriesIn } from './deliveries.ts';
import { eventsIn } from './events.ts';
import { figuresIn } from './figures.ts';
import { messagesIn } from './messages.ts';
import { pageAddressIn } from './page-address.ts';
import { plansIn } from './plans.ts';
import { platformsIn } from './platforms.ts';
import { previewsIn } from './previews.ts';
import { progressIn } from './progress.ts';
import { proposalsIn } from './proposals.ts';
import { pullsIn } from './pulls.ts';
import { refusalsIn } from './forge-refusals.ts';
import { retentionIn } from './retention.ts';
import { runsIn } from './runs.ts';
import { sessionsIn } from './sessions.ts';
import { setBackIn } from './set-back.ts';
import { shownEventsIn } from './shown-events.ts';
import { shownSourcesIn } from './shown-sources.ts';
import { shownRunsIn } from './shown-runs.ts';
import { shownStacksIn } from './shown-stacks.ts';
import { sourcesIn } from './sources.ts';
import { stacksIn } from './stacks.ts';
import { statusesIn } from './statuses.ts';
import { wavesIn } from './waves.ts';
import { workersIn } from './workers.ts';

export type { PlanRecord } from './plans.ts';
export type { DueStack } from './place-stacks.ts';
export type { PlatformRecord } from './platforms.ts';
export type { RunBegin } from './begin-run.ts';
export type { NewSource, Policy, SourceRecord } from './sources.ts';
export type { StackFiles, StackRecord } from './stacks.ts';
export type { SiteRecord } from './workers.ts';

/** The tables of a controller, a file for each beside this one. Every method is one transaction. */
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
    ...refusalsIn(db),
    ...retentionIn(db),
    ...wavesIn(db),
    ...workersIn(db),
    ...setBackIn(db),
    ...pageAddressIn(db),
    ...eventsIn(db),
    ...statusesIn(db),
    ...pullsIn(db),
    ...previewsIn(db),
    ...proposalsIn(db),
    ...sessionsIn(db),
    ...shownStacksIn(db),
    ...shownRunsIn(db),
    ...shownEventsIn(db),
    ...shownSourcesIn(db),
  };
}
