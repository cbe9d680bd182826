import { acquireServer, type PostgresServer } from '@queue/dev-postgres'

/** A server that all test databases of this process share. */
export interface BorrowedServer {
  readonly url: string
  /** Returns the server. The last return stops a server that this process has started. Idempotent. */
  returnServer(): Promise<void>
}

let server: Promise<PostgresServer> | undefined
let borrowers = 0

/** Borrows the server of this process. The first borrower starts it. */
export async function borrowServer(): Promise<BorrowedServer> {
  borrowers++
  server ??= acquireServer()
  let isReturned = false
  const returnServer = async (): Promise<void> => {
    if (isReturned) return
    isReturned = true
    borrowers--
    if (borrowers > 0) return
    const unused = server
    server = undefined
    await (await unused?.catch(() => undefined))?.stop()
  }
  try {
    return { url: (await server).url, returnServer }
  } catch (error) {
    await returnServer()
    throw error
  }
}
