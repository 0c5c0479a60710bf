import type { FastifyInstance } from 'fastify';
import { assetsVersion, controllerScript, controllerStyle, pageScript, pageStyle } from '../../render/html/assets.ts';
import { auditRoutes } from './routes/audit.ts';
import { pullRoutes } from './routes/pulls.ts';
import { keepWritten } from './not-done.ts';
import { planRoutes } from './routes/plans.ts';
import { sourceRoutes } from './routes/sources.ts';
import { runRoutes } from './routes/runs.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { stackActs, stackRoutes } from './routes/stacks.ts';
import { waveRoutes } from './routes/waves.ts';
import type { PageContext } from './server.ts';
import { fieldOf } from './fields.ts';
import { iconFile } from './views/layout.ts';

/** All pages, and the files that they load. */
export function pages(app: FastifyInstance, context: PageContext): void {
  keepWritten(app, context.address);
  assetRoutes(app);
  stackRoutes(app, context);
  stackActs(app, context);
  pullRoutes(app, context);
  planRoutes(app, context);
  runRoutes(app, context);
  waveRoutes(app, context);
  sourceRoutes(app, context);
  auditRoutes(app, context);
  sessionRoutes(app, context);
}

/** The style, the script and the icon; a browser that asks for this version keeps it. */
function assetRoutes(app: FastifyInstance): void {
  const files = [
    ['page.css', 'text/css; charset=utf-8', pageStyle + controllerStyle],
    ['page.js', 'text/javascript; charset=utf-8', pageScript + controllerScript],
    ['icon.svg', 'image/svg+xml', iconFile],
  ] as const;
  for (const [name, type, text] of files)
    app.get(`/assets/${name}`, { config: { act: 'public' } }, (request, reply) => {
      const isThis = fieldOf(request.query, 'v') === assetsVersion;
      return reply
        .type(type)
        .header('cache-control', isThis ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
        .send(text);
    });
}
