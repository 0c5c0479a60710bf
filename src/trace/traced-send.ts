import type { Send } from '../api/wire.ts';
import { inSpan } from './span.ts';

/**
 * The same `send`; each request is a span. Names by the semantic conventions of OpenTelemetry for HTTP clients:
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function tracedSend(send: Send, address: string): Send {
  const { hostname, port, protocol } = new URL(address);
  const server = { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
  return (request) => {
    const options = () => {
      const path = request.path.replace(/\?.*$/s, '');
      const attributes = { 'http.request.method': request.method, 'url.path': path, ...server };
      return { name: `${request.method} ${path.replace(/^\/api\//, '')}`, isRequest: true, attributes };
    };
    return inSpan(options, async (span) => {
      const answer = await send(request);
      span?.set({ 'http.response.status_code': answer.status });
      if (answer.status >= 400) span?.end(String(answer.status));
      return answer;
    });
  };
}
