import { describe, expect, it } from 'vitest';
import type { ServiceState } from '../../src/operate/service-states.ts';
import { renderServices } from '../../src/render/status-views.ts';
import { plainStyle } from '../../src/render/style.ts';
import { compose } from '../../src/resources/compose.ts';
import { createScreen } from '../support/screen.ts';

const service = (address: string, status = 'done', error?: string): ServiceState => ({
  address,
  kind: compose,
  id: 'cmp_1',
  found: true,
  isServed: true,
  status,
  deployment: {
    id: 'dep_1',
    status,
    title: 'Trueup',
    createdAt: '2026-01-01T00:00:00.000Z',
    finishedAt: undefined,
    description: undefined,
    logPath: undefined,
    errorMessage: error,
  },
});

const many = Array.from({ length: 40 }, (_none, at) => `production.compose.s${String(at).padStart(2, '0')}`);

describe('the services on a screen', () => {
  it('U10: keep their header where there are more than rows; what is not done is shown, the rest counted', async () => {
    const services = many.map((address, at) =>
      at === 30 ? service(address, 'error', 'no space left') : service(address, at === 35 ? 'running' : 'done'),
    );
    const size = { columns: 80, rows: 8 };
    const screen = createScreen(size.columns, size.rows);
    screen.write(renderServices(services, plainStyle, size));
    expect(await screen.all()).toEqual([
      'ADDRESS                 STATUS     LAST DEPLOYMENT',
      'production.compose.s00  running    done 2026-01-01T00:00:00Z Trueup',
      'production.compose.s01  running    done 2026-01-01T00:00:00Z Trueup',
      'production.compose.s30  error      error 2026-01-01T00:00:00Z Trueup',
      '    no space left',
      'production.compose.s35  deploying  running 2026-01-01T00:00:00Z Trueup',
      '… 36 more',
    ]);
  });

  it('stay within the columns, also with wide characters, and are whole in a pipe', async () => {
    const services = [service('production.compose["配置搜索同义词"]'), service('staging.compose.web')];
    const size = { columns: 44, rows: 24 };
    const screen = createScreen(size.columns, size.rows);
    screen.write(renderServices(services, plainStyle, size));
    expect(await screen.all()).toEqual([
      'ADDRESS                  STATUS   LAST DEPL…',
      'production.…索同义词"]   running  done 2026…',
      'staging.compose.web      running  done 2026…',
    ]);
    expect(renderServices(services, plainStyle)).toContain('"]  running  done 2026-01-01T00:00:00Z Trueup\n');
  });
});
