import type { Server } from 'node:http'
import { closeSilentConnections } from './silent-connections.ts'

export interface CloseHttpServerOptions {
  /** How long the requests in flight may still take, in milliseconds. */
  readonly graceMs: number
}

/** How often connections that have become idle are closed. */
const idleSweepMs = 50

/**
 * Drains a server: it stops accepting, closes the connections that are idle or become so, and waits for the
 * requests in flight. Those that go on past the grace are cut. Resolves when no connection is left, and gives
 * whether any was cut. Safe to call on a server that does not listen, or twice.
 */
export async function closeHttpServer(
  server: Server,
  options: CloseHttpServerOptions,
): Promise<'drained' | 'cut'> {
  let outcome: 'drained' | 'cut' = 'drained'
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // An answer on a kept-alive connection leaves it open and idle, and the server's own close closes idle ones only once.
  // A silent connection gets one interval, in which a request that is under way can be read.
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
