import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type MetricsRegistry, renderMetrics } from '@queue/telemetry'
import type { Readiness } from './readiness.ts'

export interface OpsServerOptions {
  readonly registry: MetricsRegistry
  readonly readiness: Readiness
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const requestTimeoutMs = 10_000
const connectionsMax = 100

/**
 * The few pages by which a process without an HTTP API of its own is watched: /livez (the event loop turns),
 * /readyz and /health (503 while the database or the schema is not right), /metrics. Slow clients are cut
 * after 10 s.
 */
export function createOpsServer(options: OpsServerOptions): Server {
  const pages = createPages(options)
  const server = createServer((request, response) => {
    // A page that fails is a fault of ours; what failed is not for the client to read.
    answer(pages, request).then(
      (page) => send(request, response, page),
      () => send(request, response, json(500, { status: 'error' })),
    )
  })
  server.headersTimeout = requestTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.maxConnections = connectionsMax
  return server
}

type Pages = ReadonlyMap<string, () => Promise<Answer>>

function createPages({ registry, readiness }: OpsServerOptions): Pages {
  const ready = async (): Promise<Answer> => {
    const report = await readiness()
    return json(report.status === 'ready' ? 200 : 503, report)
  }
  return new Map([
    ['/livez', async () => json(200, { status: 'alive' })],
    ['/readyz', ready],
    ['/health', ready],
    ['/metrics', async () => ({ status: 200, ...(await renderMetrics(registry)) })],
  ])
}

async function answer(pages: Pages, request: IncomingMessage): Promise<Answer> {
  const page = pages.get((request.url ?? '').replace(/[?#].*$/s, ''))
  if (!page) return json(404, { status: 'not_found' })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return json(405, { status: 'method_not_allowed' })
  return page()
}

function json(status: number, body: object): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` }
}

function send(request: IncomingMessage, response: ServerResponse, page: Answer): void {
  response.writeHead(page.status, {
    'content-type': page.contentType,
    'content-length': Buffer.byteLength(page.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(page.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : page.body)
}
