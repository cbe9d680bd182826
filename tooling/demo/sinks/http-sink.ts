import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpSink {
  readonly url: string
  /** Host and port, as in OUTGOING_ALLOW. */
  readonly host: string
  readonly requests: () => number
  readonly refused: () => number
  close(): Promise<void>
}

interface SinkRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a local server that responds with 503 to every `refuseEvery`th request, and calls `respond` for the others. */
export async function startHttpSink(
  refuseEvery: number,
  respond: (response: ServerResponse, request: SinkRequest) => void,
): Promise<HttpSink> {
  let requests = 0
  let refused = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      requests += 1
      if (requests % refuseEvery !== 0) return respond(response, { headers: request.headers, body })
      refused += 1
      response.writeHead(503, { 'retry-after': '1' }).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests: () => requests,
    refused: () => refused,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
