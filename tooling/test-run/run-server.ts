import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { PostgresServer } from '@queue/dev-postgres'

/** What the host of a run's server tells each process that joins. */
export type RunServerAnswer =
  | { readonly url: string; readonly log: readonly string[] }
  | { readonly error: string }

const repository = path.resolve(import.meta.dirname, '..', '..')
const hostFile = path.join(import.meta.dirname, 'run-server-host.ts')

/**
 * Joins the PostgreSQL server that the packages of a `turbo run test` of this work tree share, and starts it if there is none.
 * Its `stop()` leaves it: the server stops when nobody has used it for a while, or has died. Throws if it did not start.
 */
export async function joinRunServer(log: (line: string) => void): Promise<PostgresServer> {
  const address = await socketAddress()
  for (;;) {
    const joined = await join(address, log)
    if (joined !== undefined) return joined
    await startHost(address)
  }
}

/** The host's socket: one for each work tree, because a change of one must not wait for another. */
async function socketAddress(): Promise<string> {
  const digest = createHash('sha256').update(repository).digest('hex').slice(0, 16)
  const name = `queue-test-${userInfo().uid}-${digest}`
  if (process.platform === 'win32') return String.raw`\\.\pipe\${name}`
  const address = path.join(tmpdir(), `${name}.sock`)
  const found = await stat(address).catch(() => undefined)
  if (found !== undefined && found.uid !== userInfo().uid)
    throw new Error(`${address} belongs to another account: remove it, or set TMPDIR to a folder of your own`)
  return address
}

/** Undefined if no host listens, or if it ended meanwhile. */
async function join(address: string, log: (line: string) => void): Promise<PostgresServer | undefined> {
  const socket = connect(address)
  const isHeld = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  if (!isHeld) return undefined
  const line = await firstLine(socket)
  if (line === undefined) return undefined
  const answer = JSON.parse(line) as RunServerAnswer
  if ('error' in answer) throw new Error(`The test run's PostgreSQL could not be started: ${answer.error}`)
  log(`${answer.log.join('; ')}; shared by this run, on port ${new URL(answer.url).port}`)
  // The connection tells the host that the server is used; it must not keep this process alive.
  socket.unref()
  return { kind: 'given', url: answer.url, stop: async () => void socket.destroy() }
}

/** Undefined if the connection ends before a line has come. */
async function firstLine(socket: Socket): Promise<string | undefined> {
  socket.on('error', () => undefined)
  const lines = createInterface({ input: socket })
  const ended = once(lines, 'close').then((): string[] => [])
  const [line] = await Promise.race([once(lines, 'line') as Promise<string[]>, ended])
  return line
}

/** Resolves when the host listens, or has found another one. */
async function startHost(address: string): Promise<void> {
  const { QUEUE_TEST_SERVER: _, ...env } = process.env
  const host = fork(hostFile, [address], {
    detached: true,
    env,
    execArgv: ['--conditions=@queue/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await Promise.race([once(host, 'message'), once(host, 'exit')])
  if (host.connected) host.disconnect()
  host.unref()
}
