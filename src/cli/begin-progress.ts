import { performance } from 'node:perf_hooks';
import type { Plan } from '../plan/action.ts';
import type { Progress, ProgressInput, Telling } from './progress.ts';
import { createProgress } from './progress.ts';
import type { Run } from './run.ts';
import { printJson } from './run.ts';

/** Begins to tell of an apply in the form that the run asks for, by the clock of this process. */
export function beginProgress(run: Run, plan: Plan, counts: ProgressInput['counts']): Progress {
  const clock = () => performance.timeOrigin + performance.now();
  return createProgress({ plan, counts, telling: tellingOf(run), clock, every });
}

function tellingOf({ options, terminal }: Run): Telling {
  if (options.isJson) return { as: 'documents', write: (document) => printJson(terminal, document, 'lines') };
  const { live, err, errStyle: style } = terminal;
  return live === undefined ? { as: 'lines', write: err, style } : { as: 'tree', live, style };
}

/** Does something again and again, without keeping the process alive. */
function every(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds).unref();
  return () => clearInterval(timer);
}
