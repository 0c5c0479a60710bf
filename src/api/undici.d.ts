/** The modules of undici that its own index is made of; it has types for the index only. */
declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';
  const agent: typeof Agent;
  export default agent;
}

declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';
  const pool: typeof Pool;
  export default pool;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import type { ProxyAgent } from 'undici';
  const proxyAgent: typeof ProxyAgent;
  export default proxyAgent;
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';
  const connect: typeof buildConnector;
  export default connect;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';
  const connect: (this: Dispatcher, options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
  export default connect;
}

declare module 'undici/lib/handler/decorator-handler.js' {
  import type { Dispatcher } from 'undici';
  type Start = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>;
  export default class DecoratorHandler implements Dispatcher.DispatchHandler {
    constructor(handler: Dispatcher.DispatchHandler);
    onResponseStart(...start: Start): void;
  }
}

declare module 'undici/lib/web/fetch/index.js' {
  import type { fetch } from 'undici';
  const module: { readonly fetch: typeof fetch };
  export default module;
}
