import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

/** A way to the database that a test can break. */
export interface TcpProxy {
  /** The database's URL, by way of the proxy. */
  readonly url: string
  /** Ends every connection; new ones are let through. */
  cut(): void
  /** From now on nothing goes through any connection there is, and nobody is told; new ones are let through. */
  freeze(): void
  /** The same, for new connections too. */
  blackhole(): void
  /** Lets everything through again, also what has gathered meanwhile. */
  restore(): void
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** Passes bytes between clients and the server of `databaseUrl`, until it is told not to. */
export async function openProxy(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<Pair>()
  let swallowing = false
  const pass = ({ near, far }: Pair): void => {
    near.pipe(far)
    far.pipe(near)
  }
  const hold = ({ near, far }: Pair): void => {
    near.unpipe(far)
    far.unpipe(near)
    near.pause()
    far.pause()
  }
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port || 5432) })
    const pair = { near, far }
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
  server.listen(0, '127.0.0.1')
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
    restore: () => {
      swallowing = false
      for (const pair of pairs) pass(pair)
    },
    close: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
