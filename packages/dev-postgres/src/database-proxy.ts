import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to the database that a test can break. */
export interface DatabaseProxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string
  /** Ends every connection; new ones are let through. */
  cut(): void
  /** From now on nothing goes through any connection there is, and nobody is told; new ones are let through. */
  freeze(): void
  /** The same, for new connections too. */
  blackhole(): void
  /**
   * The connection that next sends `text` falls silent at that moment: `before` the server gets it, or `after`, so that
   * only its answer is lost. Resolves once that has happened.
   */
  silenceAt(moment: 'before' | 'after', text: string): Promise<void>
  /** Lets everything through again, also what has gathered meanwhile. */
  restore(): void
  /** Ends every connection and takes no more. Idempotent. */
  close(): Promise<void>
}

export interface DatabaseProxyOptions {
  /** Where it listens; without one on any free port. */
  readonly port?: number
  /** Called for each connection; what it gives is called with all that the client sends on it. */
  readonly reader?: () => (sent: Buffer) => void
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  readonly forward: (sent: Buffer) => void
}

interface Trap {
  readonly moment: 'before' | 'after'
  readonly text: string
  readonly onSprung: () => void
}

/** Passes bytes between clients and the server of `databaseUrl`, until it is told not to. */
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
  readonly #reader: () => (sent: Buffer) => void
  readonly #server: Server = createServer((near) => this.#join(near))
  readonly #pairs = new Set<Pair>()
  #isSwallowing = false
  #trap: Trap | undefined
  #closed: Promise<void> | undefined

  constructor(databaseUrl: string, reader: () => (sent: Buffer) => void) {
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
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  freeze(): void {
    for (const pair of this.#pairs) hold(pair)
  }

  blackhole(): void {
    this.#isSwallowing = true
    this.freeze()
  }

  silenceAt(moment: 'before' | 'after', text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#trap = { moment, text, onSprung: resolve }
    })
  }

  restore(): void {
    this.#isSwallowing = false
    for (const pair of this.#pairs) pass(pair)
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket): void {
    const { hostname, port } = this.#databaseUrl
    const far = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) })
    const read = this.#reader()
    const forward = (sent: Buffer): void => {
      read(sent)
      this.#forward(pair, sent)
    }
    const pair: Pair = { near, far, forward }
    this.#pairs.add(pair)
    const end = (): void => {
      this.#pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    if (this.#isSwallowing) hold(pair)
    else pass(pair)
  }

  #forward(pair: Pair, sent: Buffer): void {
    const sprung = this.#trap !== undefined && sent.includes(this.#trap.text) ? this.#trap : undefined
    if (sprung !== undefined) {
      this.#trap = undefined
      hold(pair)
      sprung.onSprung()
    }
    if (sprung?.moment === 'before') pair.near.unshift(sent)
    else pair.far.write(sent)
  }
}

function pass({ near, far, forward }: Pair): void {
  near.on('data', forward).resume()
  far.pipe(near)
}

function hold({ near, far, forward }: Pair): void {
  near.off('data', forward).pause()
  far.unpipe(near)
  far.pause()
}
