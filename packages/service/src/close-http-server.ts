import type { Server } from 'node:http'
import { closeSilentConnections } from './bind-server.ts'

export interface CloseHttpServerOptions {
  /** How long the requests in flight may still take, in milliseconds. */
  readonly graceMs: number
}

/** How often connections that have become idle are closed. */
const idleSweepMs = 50

/**
 * Drains a server: it stops accepting connections, closes connections that are or become idle, and waits for the requests in
 * flight. Requests that run past the grace are cut off. Resolves when no connection is left, with whether any was cut off. Safe
 * to call on a server that does not listen, and twice.
 */
export async function closeHttpServer(
  server: Server,
  options: CloseHttpServerOptions,
): Promise<'drained' | 'cut'> {
  let outcome: 'drained' | 'cut' = 'drained'
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // A kept-alive connection is idle after its response, and the server's own close closes idle connections only once. A silent
  // connection gets one interval, so that a request that is being sent can still be read.
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    closeSilentConnections(server)
  }, idleSweepMs)
  const deadline = setTimeout(() => {
    outcome = 'cut'
    server.closeAllConnections()
  }, options.graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  return outcome
}
