/**
 * A process of its own around one PostgreSQL server, started by `startEmbeddedPostgres` and by nothing else.
 * It runs in its own session, so a signal to the starter's process group does not reach it, and it stops the
 * server when the starter says so or is no more, however that came about: the end of the IPC channel is both.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import type { StartServer } from './supervisor-message.ts'

/** How long a stopping server may take before it is told again, more firmly, in milliseconds. */
const fastStopMs = 10_000
const immediateStopMs = 5_000

let server: ChildProcess | undefined
let stopping = false

process.on('disconnect', stop)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
process.once('message', (message) => {
  if (!stopping) start(message as StartServer)
})
// The starter may have gone before there was anything to disconnect from.
if (!process.connected) stop()

function start(order: StartServer): void {
  const log = openSync(order.logFile, 'a', 0o600)
  server = spawn(order.postgres, order.args, {
    ...order.identity,
    env: order.env,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  server.once('error', () => end(order, 1))
  server.once('exit', (code) => end(order, code ?? 1))
}

function stop(): void {
  if (stopping) return
  stopping = true
  if (server === undefined) process.exit(0)
  // PostgreSQL's words: SIGINT is a fast stop, SIGQUIT an immediate one.
  server.kill('SIGINT')
  setTimeout(() => server?.kill('SIGQUIT'), fastStopMs)
  setTimeout(() => server?.kill('SIGKILL'), fastStopMs + immediateStopMs)
}

function end(order: StartServer, code: number): void {
  // A server that ended by itself leaves its log for the starter to read; the starter cleans up then.
  for (const file of stopping ? order.removeWhenStopped : []) {
    rmSync(file, { recursive: true, force: true, maxRetries: 5 })
  }
  process.exit(stopping ? 0 : Math.max(code, 1))
}
