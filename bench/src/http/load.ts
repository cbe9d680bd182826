import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses with a status other than 201. */
  readonly others: number
}

const body = JSON.stringify({
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' },
})

/**
 * Sends POST /jobs over many connections, each of which sends the next request after the response to the last one. The requests
 * are written to raw sockets, because an HTTP client would use as much processor time as the server that it measures.
 */
export async function load({ port, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const endsAtMs = performance.now() + seconds * 1_000
  const request = `POST /jobs HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const latenciesMs: number[] = []
  let others = 0
  await Promise.all(
    Array.from({ length: connections }, () =>
      keepPosting({
        socket: connect(port, '127.0.0.1'),
        request,
        endsAtMs,
        onResponse: (status, ms) => {
          if (status === '201') latenciesMs.push(ms)
          else others += 1
        },
      }),
    ),
  )
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond: sorted.length / seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99), others }
}

interface Connection {
  readonly socket: Socket
  readonly request: string
  readonly endsAtMs: number
  readonly onResponse: (status: string, ms: number) => void
}

function keepPosting({ socket, request, endsAtMs, onResponse }: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let sentAtMs = 0
    const send = (): void => {
      sentAtMs = performance.now()
      if (sentAtMs < endsAtMs) socket.write(request)
      else {
        socket.destroy()
        resolve()
      }
    }
    socket.setEncoding('latin1').setNoDelay(true)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk: string) => {
      received += chunk
      const length = responseLength(received)
      if (length === undefined || received.length < length) return
      onResponse(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length), performance.now() - sentAtMs)
      received = ''
      send()
    })
  })
}

/** The length of the response at the start of `text`, with head and body; undefined while its head is incomplete. */
function responseLength(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const bodyLength = /\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? '0'
  return headEnd + '\r\n\r\n'.length + Number(bodyLength)
}
