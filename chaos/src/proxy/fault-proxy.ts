import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createMessageReader, createStatementReader, isCancelRequest } from './protocol-messages.ts'

/**
 * What becomes of a statement. `cut before`: the connection breaks, and the server never sees it. `cut after`: the
 * server carries it out, commits where it does so, and the connection breaks before a byte of the answer is there.
 */
export type Fate = 'pass' | 'cut before' | 'cut after'

/**
 * What the network does to every connection. `blackhole` takes everything and passes nothing on, in either way and to
 * either end; a connection that it has taken a byte from stays half-open for ever, as what was lost cannot come back.
 */
export type Weather =
  | { readonly kind: 'clear' | 'blackhole' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'fragments'; readonly bytes: number }

export interface FaultProxy {
  /** The URL of the database as reached through it. */
  readonly url: string
  /** Changes the weather for the connections that are there and for those to come. */
  setWeather(weather: Weather): void
  close(): Promise<void>
}

export interface FaultProxyOptions {
  readonly databaseUrl: string
  /** Decides over each statement, by its text; by default all pass. */
  readonly decide?: (statement: string) => Fate
  /** Whether requests to cancel a statement are taken and never reach the server. */
  readonly losesCancels?: boolean
}

/** Stands between a process and its database, and does to their connections what networks do. */
export async function startFaultProxy({
  databaseUrl,
  decide = pass,
  losesCancels = false,
}: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const sky: Sky = { weather: { kind: 'clear' } }
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    join({ client, upstream, decide, losesCancels, sky })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    setWeather: (weather) => void (sky.weather = weather),
    close: () => close(server, sockets),
  }
}

function pass(): Fate {
  return 'pass'
}

interface Sky {
  weather: Weather
}

interface Ends {
  readonly client: Socket
  readonly upstream: Socket
  readonly decide: (statement: string) => Fate
  readonly losesCancels: boolean
  readonly sky: Sky
}

/** Passes on what both ends send until one is gone, or a statement's fate is to be cut. */
function join({ client, upstream, decide, losesCancels, sky }: Ends): void {
  const line: Line = { sky, halfOpen: sky.weather.kind === 'blackhole' }
  const toServer = createWriter(upstream, line)
  const toClient = createWriter(client, line)
  const readMessages = createMessageReader(1)
  const readStatement = createStatementReader()
  let answerIsLost = false
  const cut = (): void => {
    client.destroy()
    upstream.destroy()
  }
  client.on('data', (chunk: Buffer) => {
    for (const message of readMessages(chunk)) {
      // The server hangs up on these, and says nothing of what became of them.
      if (losesCancels && isCancelRequest(message)) return cut()
      const statement = readStatement(message)
      const fate = statement === undefined ? 'pass' : decide(statement)
      if (fate === 'cut before') return cut()
      if (fate === 'cut after') answerIsLost = true
      toServer(message.bytes)
    }
  })
  upstream.on('data', answerReader({ isLost: () => answerIsLost, pass: toClient, cut }))
  client.on('close', () => line.halfOpen || upstream.destroy())
  upstream.on('close', () => line.halfOpen || client.destroy())
}

/** One connection's two ways. */
interface Line {
  readonly sky: Sky
  halfOpen: boolean
}

interface AnswerReader {
  readonly isLost: () => boolean
  readonly pass: (bytes: Buffer) => void
  readonly cut: () => void
}

/** Passes answers on. One that is to be lost is waited for to its end, so that the statement has taken effect. */
function answerReader({ isLost, pass: passOn, cut }: AnswerReader): (chunk: Buffer) => void {
  const readMessages = createMessageReader(0)
  return (chunk) => {
    for (const { type, bytes } of readMessages(chunk)) {
      if (!isLost()) passOn(bytes)
      else if (type === readyForQuery) return cut()
    }
  }
}

const readyForQuery = 'Z'

/** Writes to a socket, in order, as the weather allows. */
function createWriter(socket: Socket, line: Line): (bytes: Buffer) => void {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return (bytes) => {
    const { weather } = line.sky
    line.halfOpen ||= weather.kind === 'blackhole'
    if (line.halfOpen) return
    if (weather.kind === 'clear' && waiting === 0) {
      socket.write(bytes)
      return
    }
    waiting += 1
    last = last.then(() => writeIn(weather, socket, bytes)).finally(() => (waiting -= 1))
  }
}

async function writeIn(weather: Weather, socket: Socket, bytes: Buffer): Promise<void> {
  if (weather.kind === 'slow') await wait(weather.delayMs)
  const size = weather.kind === 'fragments' ? weather.bytes : bytes.length
  for (let start = 0; start < bytes.length && !socket.destroyed; start += size) {
    socket.write(bytes.subarray(start, start + size))
    // The next piece goes out in a packet of its own.
    if (weather.kind === 'fragments') await new Promise(setImmediate)
  }
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  server.close()
  for (const socket of sockets) socket.destroy()
  await once(server, 'close')
}
