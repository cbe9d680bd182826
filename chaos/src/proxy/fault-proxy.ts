import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createMessageReader, createStatementReader, isCancelRequest } from './protocol-messages.ts'

/**
 * What happens to a statement. `cut before`: the connection breaks and the server never receives the statement. `cut after`:
 * the server runs it (and commits, if it does), and the connection breaks before the client gets a byte of the answer.
 */
export type CutDecision = 'pass' | 'cut before' | 'cut after'

/**
 * The condition of the network for every connection. `blackhole` accepts all bytes and forwards none, in both directions. A
 * connection that has lost a byte this way stays half-open forever, because lost bytes cannot come back.
 */
export type NetworkCondition =
  | { readonly kind: 'clear' | 'blackhole' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'fragments'; readonly bytes: number }

export interface FaultProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Changes the condition of the network for current and new connections. */
  setNetwork(condition: NetworkCondition): void
  close(): Promise<void>
}

export interface FaultProxyOptions {
  readonly databaseUrl: string
  /** Decides about each statement by its text; by default all pass. */
  readonly decide?: (statement: string) => CutDecision
  /** Whether requests to cancel a statement get lost before they reach the server. */
  readonly losesCancels?: boolean
}

/** Starts a proxy between processes and their database that causes network faults on their connections. */
export async function startFaultProxy({
  databaseUrl,
  decide = pass,
  losesCancels = false,
}: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const network: Network = { condition: { kind: 'clear' } }
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Otherwise each message after the first one waits for the acknowledgement of that, which the other end delays.
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    forward({ client, upstream, decide, losesCancels, network })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    setNetwork: (condition) => void (network.condition = condition),
    close: () => close(server, sockets),
  }
}

function pass(): CutDecision {
  return 'pass'
}

interface Network {
  condition: NetworkCondition
}

interface ProxiedConnection {
  readonly client: Socket
  readonly upstream: Socket
  readonly decide: (statement: string) => CutDecision
  readonly losesCancels: boolean
  readonly network: Network
}

/** Forwards what both ends send until one of them disconnects or the connection is cut. */
function forward({ client, upstream, decide, losesCancels, network }: ProxiedConnection): void {
  const connection: Connection = { network, halfOpen: network.condition.kind === 'blackhole' }
  const toServer = createWriter(upstream, connection)
  const toClient = createWriter(client, connection)
  const readMessages = createMessageReader(1)
  const readStatement = createStatementReader()
  let answerIsLost = false
  const cut = (): void => {
    client.destroy()
    upstream.destroy()
  }
  client.on('data', (chunk: Buffer) => {
    for (const message of readMessages(chunk)) {
      // The server never answers such a request; it only closes the connection.
      if (losesCancels && isCancelRequest(message)) return cut()
      const statement = readStatement(message)
      const decision = statement === undefined ? 'pass' : decide(statement)
      if (decision === 'cut before') return cut()
      if (decision === 'cut after') answerIsLost = true
      toServer(message.bytes)
    }
  })
  upstream.on('data', answerReader({ isLost: () => answerIsLost, pass: toClient, cut }))
  client.on('close', () => connection.halfOpen || upstream.destroy())
  upstream.on('close', () => connection.halfOpen || client.destroy())
}

/** The state that both directions of a connection share. */
interface Connection {
  readonly network: Network
  halfOpen: boolean
}

interface AnswerReader {
  readonly isLost: () => boolean
  readonly pass: (bytes: Buffer) => void
  readonly cut: () => void
}

/** Forwards answers. For an answer that gets lost, waits for its end before the cut, so that the statement has taken effect. */
function answerReader({ isLost, pass: sendToClient, cut }: AnswerReader): (chunk: Buffer) => void {
  const readMessages = createMessageReader(0)
  return (chunk) => {
    for (const { type, bytes } of readMessages(chunk)) {
      if (!isLost()) sendToClient(bytes)
      else if (type === readyForQuery) return cut()
    }
  }
}

const readyForQuery = 'Z'

/** Writes to a socket in order, under the condition of the network. */
function createWriter(socket: Socket, connection: Connection): (bytes: Buffer) => void {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return (bytes) => {
    const { condition } = connection.network
    connection.halfOpen ||= condition.kind === 'blackhole'
    if (connection.halfOpen) return
    if (condition.kind === 'clear' && waiting === 0) {
      socket.write(bytes)
      return
    }
    waiting += 1
    last = last.then(() => writeUnder(condition, socket, bytes)).finally(() => (waiting -= 1))
  }
}

async function writeUnder(condition: NetworkCondition, socket: Socket, bytes: Buffer): Promise<void> {
  if (condition.kind === 'slow') await wait(condition.delayMs)
  const size = condition.kind === 'fragments' ? condition.bytes : bytes.length
  for (let start = 0; start < bytes.length && !socket.destroyed; start += size) {
    socket.write(bytes.subarray(start, start + size))
    // Sends the next piece in a separate packet.
    if (condition.kind === 'fragments') await new Promise(setImmediate)
  }
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  server.close()
  for (const socket of sockets) socket.destroy()
  await once(server, 'close')
}
