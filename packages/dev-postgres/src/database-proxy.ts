import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

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
  { port = 0, reader = () => () => undefined }: DatabaseProxyOptions = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<Pair>()
  let swallowing = false
  let trap: Trap | undefined
  const pass = ({ near, far, forward }: Pair): void => {
    near.on('data', forward).resume()
    far.pipe(near)
  }
  const hold = ({ near, far, forward }: Pair): void => {
    near.off('data', forward).pause()
    far.unpipe(near)
    far.pause()
  }
  const forward = (pair: Pair, sent: Buffer): void => {
    const sprung = trap !== undefined && sent.includes(trap.text) ? trap : undefined
    if (sprung !== undefined) {
      trap = undefined
      hold(pair)
      sprung.onSprung()
    }
    if (sprung?.moment === 'before') pair.near.unshift(sent)
    else pair.far.write(sent)
  }
  const server = createServer((near) => {
    const far = connect({ host: target.hostname.replace(/^\[|\]$/g, ''), port: Number(target.port || 5432) })
    const read = reader()
    const forwardRead = (sent: Buffer): void => {
      read(sent)
      forward(pair, sent)
    }
    const pair: Pair = { near, far, forward: forwardRead }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    if (swallowing) hold(pair)
    else pass(pair)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = (): void => {
    for (const { near, far } of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    cut()
    server.close()
    await once(server, 'close')
  }
  return {
    url: url.href,
    cut,
    freeze: () => {
      for (const pair of pairs) hold(pair)
    },
    blackhole: () => {
      swallowing = true
      for (const pair of pairs) hold(pair)
    },
    silenceAt: (moment, text) =>
      new Promise((resolve) => {
        trap = { moment, text, onSprung: resolve }
      }),
    restore: () => {
      swallowing = false
      for (const pair of pairs) pass(pair)
    },
    close: () => (closed ??= close()),
  }
}
