/**
 * The supervisor process of one PostgreSQL server. Only `startEmbeddedPostgres` starts it. It runs in its own session, so a
 * signal to the starter's process group does not reach it. It stops the server when the IPC channel closes: the starter
 * has closed it or has ended, for any reason.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import type { StartServer } from './supervise.ts'

/** How long a server may take for a fast stop, then for an immediate stop, in milliseconds, before the next signal. */
const fastStopMs = 10_000
const immediateStopMs = 5_000

let server: ChildProcess | undefined
let stopping = false

process.on('disconnect', stop)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
process.once('message', (message) => {
  if (!stopping) start(message as StartServer)
})
// The starter may have ended before this process could see the channel close.
if (!process.connected) stop()

function start(command: StartServer): void {
  const log = openSync(command.logFile, 'a', 0o600)
  server = spawn(command.postgres, command.args, {
    ...command.identity,
    env: command.env,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  server.once('error', () => end(command, 1))
  server.once('exit', (code) => end(command, code ?? 1))
}

function stop(): void {
  if (stopping) return
  stopping = true
  if (server === undefined) process.exit(0)
  // In PostgreSQL's terms, SIGINT is a fast stop, SIGQUIT an immediate one.
  server.kill('SIGINT')
  setTimeout(() => server?.kill('SIGQUIT'), fastStopMs)
  setTimeout(() => server?.kill('SIGKILL'), fastStopMs + immediateStopMs)
}

function end(command: StartServer, code: number): void {
  // After a server has ended by itself, the starter reads its log and deletes the files.
  for (const file of stopping ? command.removeWhenStopped : []) {
    rmSync(file, { recursive: true, force: true, maxRetries: 5 })
  }
  process.exit(stopping ? 0 : Math.max(code, 1))
}
