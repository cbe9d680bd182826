import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy before the database, whose connections a test can break. */
export interface DatabaseProxy {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Ends every connection. New connections work. */
  cut(): void
  /** Stops forwarding on all current connections, without closing them. New connections work. */
  freeze(): void
  /** Stops forwarding on all current and new connections, without closing them. */
  blackhole(): void
  /**
   * Freezes the connection that next sends `text`: `before` the server receives it, or `after`, so that only the answer is
   * lost. Resolves when that has happened.
   */
  silenceAt(moment: 'before' | 'after', text: string): Promise<void>
  /** How many bytes the server has sent on all connections so far. */
  bytesFromServer(): number
  /** Forwards on all connections again, including the data that was held back. */
  restore(): void
  /** Ends every connection and accepts no more. Idempotent. */
  close(): Promise<void>
}

export interface DatabaseProxyOptions {
  /** The port to listen on; by default any free one. */
  readonly port?: number
  /** Called for each connection. The function that it returns is called with all data that the client sends on it. */
  readonly reader?: () => (data: Buffer) => void
}

/** The two sockets of one proxied connection: to the client, and to the server. */
interface Pair {
  readonly clientSocket: Socket
  readonly serverSocket: Socket
  readonly forward: (data: Buffer) => void
}

/** Freezes the next connection that sends `text`: see `silenceAt`. */
interface Trap {
  readonly moment: 'before' | 'after'
  readonly text: string
  readonly onSprung: () => void
}

/** Starts a proxy that forwards bytes between clients and the server of `databaseUrl`. */
export async function startDatabaseProxy(
  databaseUrl: string,
  options: DatabaseProxyOptions = {},
): Promise<DatabaseProxy> {
  const proxy = new TcpProxy(databaseUrl, options.reader ?? (() => () => undefined))
  await proxy.listen(options.port ?? 0)
  return proxy
}

class TcpProxy implements DatabaseProxy {
  readonly #databaseUrl: URL
  #url = ''
  readonly #reader: () => (data: Buffer) => void
  readonly #server: Server = createServer((clientSocket) => this.#accept(clientSocket))
  readonly #pairs = new Set<Pair>()
  #isBlackholed = false
  #trap: Trap | undefined
  #bytesFromServer = 0
  #closed: Promise<void> | undefined

  constructor(databaseUrl: string, reader: () => (data: Buffer) => void) {
    this.#databaseUrl = new URL(databaseUrl)
    this.#reader = reader
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    const url = new URL(this.#databaseUrl)
    url.hostname = '127.0.0.1'
    url.port = String((this.#server.address() as AddressInfo).port)
    this.#url = url.href
  }

  get url(): string {
    return this.#url
  }

  cut(): void {
    for (const { clientSocket, serverSocket } of this.#pairs) {
      clientSocket.destroy()
      serverSocket.destroy()
    }
  }

  freeze(): void {
    for (const pair of this.#pairs) pauseForwarding(pair)
  }

  blackhole(): void {
    this.#isBlackholed = true
    this.freeze()
  }

  silenceAt(moment: 'before' | 'after', text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = { moment, text, onSprung: resolve }
    })
  }

  bytesFromServer(): number {
    return this.#bytesFromServer
  }

  restore(): void {
    this.#isBlackholed = false
    for (const pair of this.#pairs) resumeForwarding(pair)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(clientSocket: Socket): void {
    const { hostname, port } = this.#databaseUrl
    const serverSocket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) })
    const read = this.#reader()
    const forward = (data: Buffer): void => {
      read(data)
      this.#forward(pair, data)
    }
    const pair: Pair = { clientSocket, serverSocket, forward }
    this.#pairs.add(pair)
    serverSocket.on('data', ({ length }) => (this.#bytesFromServer += length))
    const end = (): void => {
      this.#pairs.delete(pair)
      clientSocket.destroy()
      serverSocket.destroy()
    }
    for (const socket of [clientSocket, serverSocket]) socket.on('error', end).on('close', end)
    if (this.#isBlackholed) pauseForwarding(pair)
    else resumeForwarding(pair)
  }

  #forward(pair: Pair, data: Buffer): void {
    const sprung = this.#trap !== undefined && data.includes(this.#trap.text) ? this.#trap : undefined
    if (sprung !== undefined) {
      this.#trap = undefined
      pauseForwarding(pair)
      sprung.onSprung()
    }
    if (sprung?.moment === 'before') pair.clientSocket.unshift(data)
    else pair.serverSocket.write(data)
  }
}

function resumeForwarding({ clientSocket, serverSocket, forward }: Pair): void {
  clientSocket.on('data', forward).resume()
  serverSocket.pipe(clientSocket)
}

function pauseForwarding({ clientSocket, serverSocket, forward }: Pair): void {
  clientSocket.off('data', forward).pause()
  serverSocket.unpipe(clientSocket)
  serverSocket.pause()
}
