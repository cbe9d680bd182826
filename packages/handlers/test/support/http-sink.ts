import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpSink {
  readonly port: number
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** The number of connections so far. */
  readonly connections: () => number
  /** Sets the response to all further requests. */
  answer(respond: Respond): void
  close(): Promise<void>
}

export type Respond = (response: ServerResponse, request: ReceivedRequest) => void

/** Starts an HTTP server that records its requests. */
export async function startHttpSink(
  respond: Respond = status(200),
  host = '127.0.0.1',
  port = 0,
): Promise<HttpSink> {
  const requests: ReceivedRequest[] = []
  let connections = 0
  let current = respond
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const received = { method, path: url, headers, body: Buffer.concat(chunks) }
      requests.push(received)
      current(response, received)
    })
  })
  server.on('connection', () => (connections += 1))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    answer: (next) => (current = next),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Respond {
  return (response) => void response.writeHead(code, headers).end()
}
