import { acquireServer, type PostgresServer } from '@queue/dev-postgres'

/** A server that this process shares between all that borrow it. */
export interface BorrowedServer {
  readonly url: string
  /** Ends the loan; the last one stops a server that was started here. Idempotent. */
  returnServer(): Promise<void>
}

let server: Promise<PostgresServer> | undefined
let loans = 0

/** Borrows the server of this process, which is acquired for the first loan. */
export async function borrowServer(): Promise<BorrowedServer> {
  loans++
  server ??= acquireServer()
  let ended = false
  const returnServer = async (): Promise<void> => {
    if (ended) return
    ended = true
    loans--
    if (loans > 0) return
    const last = server
    server = undefined
    await (await last?.catch(() => undefined))?.stop()
  }
  try {
    return { url: (await server).url, returnServer }
  } catch (error) {
    await returnServer()
    throw error
  }
}
