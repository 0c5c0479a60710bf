import { readVersion } from '../project/version.ts';
import { createExporter } from '../trace/exporter.ts';
import { isErrorCode } from '../render/exit-codes.ts';
import { textView } from '../render/output-format.ts';
import { traceSettings } from '../trace/trace-settings.ts';
import { runIn } from '../trace/span.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Environment } from '../project/folder.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs a command as the first span of a trace, and exports that. Whatever the collector does, the command ends as it would
 * without it; one warning says that the trace is not there. @throws whatever the command throws.
 */
export async function traced(
  { env, redactor, terminal }: { readonly env: Environment; readonly redactor: Redactor; readonly terminal: Terminal },
  name: string,
  execute: () => Promise<number>,
): Promise<number> {
  // Text in every format: the document of the run is printed by then.
  const { warnings: warn } = textView(terminal);
  const settings = traceSettings(env);
  if (settings === undefined) return execute();
  if ('code' in settings) {
    warn([settings]);
    return execute();
  }
  for (const value of Object.values(settings.headers)) redactor.add(value);
  const exporter = createExporter(settings, { version: readVersion() });
  try {
    return await runIn(exporter.begin({ name: `trueup ${name}` }), async (span) => {
      const code = await execute();
      span.set({ 'process.exit.code': code });
      if (isErrorCode(code)) span.end('failed');
      return code;
    });
  } finally {
    const problem = await exporter.close();
    if (problem !== undefined) warn([problem]);
  }
}
