import { readVersion } from '../project/version.ts';
import { createExporter } from '../trace/exporter.ts';
import { textView } from '../render/format.ts';
import { traceSettings } from '../trace/settings.ts';
import { runIn } from '../trace/span.ts';
import type { Run } from './command.ts';

/** Exit codes of runs that did what they were asked for: done, changes, known drift. */
const good = new Set([0, 2, 8]);

/**
 * Runs a command as the first span of a trace, and exports that. Whatever the collector does, the command ends as it would
 * without it; one warning says that the trace is not there. @throws whatever the command throws.
 */
export async function traced(run: Run, name: string, execute: () => Promise<number>): Promise<number> {
  const { process, terminal, options } = run;
  // Text in every format: the document of the run is printed by then.
  const { warnings: warn } = textView(terminal);
  const settings = traceSettings(process.env);
  if (settings === undefined) return execute();
  if ('code' in settings) {
    warn([settings]);
    return execute();
  }
  for (const value of Object.values(settings.headers)) options.redactor.add(value);
  const exporter = createExporter(settings, { version: readVersion() });
  try {
    return await runIn(exporter.begin({ name: `trueup ${name}` }), async (span) => {
      const code = await execute();
      span.set({ 'process.exit.code': code });
      if (!good.has(code)) span.end('failed');
      return code;
    });
  } finally {
    const problem = await exporter.close();
    if (problem !== undefined) warn([problem]);
  }
}
