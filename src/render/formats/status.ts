import type { ServiceState } from '../../operate/service-states.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { statusJson } from '../status-json.ts';
import { renderService, renderServices, renderVersion } from '../status-text.ts';
import { textView } from '../text-view.ts';

/** Prints what `status` reports. */
export interface StatusView extends View {
  readonly services: (
    services: readonly ServiceState[],
    counts: { readonly reads: number; readonly writes: number },
    platformVersion?: string,
  ) => void;
  /** Begins to print the services again and again; undefined: a format that cannot. */
  readonly watch: (() => (services: readonly ServiceState[]) => void) | undefined;
}

/** The formats of `status`. */
export const statusFormats: Formats<StatusView> = {
  text: (screen) => ({
    ...textView(screen),
    services: (services, _counts, version) => {
      if (services.length > 0) screen.out(renderServices(services, screen.outStyle));
      if (version !== undefined) screen.out(renderVersion(version, screen.outStyle));
      if (services.length === 0) screen.err('The state has no services: nothing was applied from here.\n');
    },
    watch: () => (screen.size === undefined ? printChanges(screen) : redraw(screen)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    services: (...shown) => printJson(screen, statusJson(...shown)),
    watch: undefined,
  }),
};

function redraw({ out, clear, outStyle, size }: Screen): (services: readonly ServiceState[]) => void {
  return (services) => {
    clear();
    out(renderServices(services, outStyle, size?.()));
  };
}

/** Adds a line for each service that changed since it was printed last. */
function printChanges({ out, outStyle }: Screen): (services: readonly ServiceState[]) => void {
  const shown = new Map<string, string>();
  return (services) => {
    const lines = services.map((service) => [service.address, renderService(service, outStyle)] as const);
    const fresh = lines.filter(([address, line]) => shown.get(address) !== line);
    for (const [address, line] of fresh) shown.set(address, line);
    out(fresh.map(([, line]) => line).join(''));
  };
}
