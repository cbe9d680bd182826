/**
 * The process that holds the PostgreSQL server of one `turbo run test`, for the packages that turbo tests one after the other.
 * Only `joinRunServer` starts it. It tells the server's URL to each process that connects to its socket, and ends once nobody
 * has been connected for a while. The socket's file admits only this account.
 */
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { acquireServer, type PostgresServer } from '@queue/dev-postgres'
import type { RunServerAnswer } from './run-server.ts'

/** Longer than the pause between two packages, in milliseconds. */
const idleMs = Number(process.env['QUEUE_TEST_SERVER_IDLE_MS'] ?? 15_000)

const [address = ''] = process.argv.slice(2)
const members = new Set<Socket>()
const log: string[] = []
let acquired: Promise<PostgresServer> | undefined
let idle: NodeJS.Timeout | undefined

process.umask(0o077)
const listening = await listen()
if (listening === undefined) {
  process.exit(0)
}
awaitMembers(listening)
process.send?.('listening')
process.disconnect?.()

/** Listens at the address; undefined if another host does. */
async function listen(): Promise<Server | undefined> {
  const server = createServer(admit)
  server.listen(address)
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (isFree) return server
  if (await isAnswered()) return undefined
  // A host that was killed left its file.
  await rm(address, { force: true })
  return listen()
}

async function isAnswered(): Promise<boolean> {
  const socket = connect(address)
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answered
}

function admit(member: Socket): void {
  clearTimeout(idle)
  members.add(member)
  member.on('error', () => undefined)
  member.resume()
  member.once('close', () => {
    members.delete(member)
    if (members.size === 0 && listening !== undefined) awaitMembers(listening)
  })
  void answer(member)
}

async function answer(member: Socket): Promise<void> {
  acquired ??= acquireServer({ log: (line) => void log.push(line) })
  const answered: RunServerAnswer = await acquired.then(
    ({ url }) => ({ url, log }),
    (error: unknown) => ({ error: String(error) }),
  )
  member.write(`${JSON.stringify(answered)}\n`)
}

function awaitMembers(server: Server): void {
  idle = setTimeout(() => {
    // Its file goes with it, so that the next process starts another host.
    server.close()
    void acquired?.then((held) => held.stop()).catch(() => undefined)
  }, idleMs)
}
