import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/testing'
import { type App, type AppProcess, startApp } from './tls/app-process.ts'
import { type Authority, type KeyPair, createAuthority } from './tls/certificates.ts'
import { startTlsServer, type TlsServer } from './tls/tls-server.ts'

let directory: string
let authority: Authority
let ownName: KeyPair
let otherName: KeyPair
let server: TlsServer
const started: AppProcess[] = []

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-tls-'))
  authority = await createAuthority('the authority')
  const stranger = await createAuthority('somebody else')
  await writeFile(path.join(directory, 'right.crt'), authority.certificate)
  await writeFile(path.join(directory, 'wrong.crt'), stranger.certificate)
  ownName = await authority.certify('localhost')
  otherName = await authority.certify('database.example')
  server = await startTlsServer(ownName)
})

afterEach(async () => {
  for (const app of started) app.signal('SIGKILL')
  await Promise.all(started.splice(0).map(({ ended }) => ended))
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true })
})

/** Passwords of the roles. The server belongs to this file, so its roles need not be dropped. */
const password = 'correct-horse-battery'
const passwords = { QUEUE_ROLE_API_PASSWORD: password, QUEUE_ROLE_WORKER_PASSWORD: password }
const users = {
  migrate: undefined,
  api: { name: 'queue_api', password },
  worker: { name: 'queue_worker', password },
}

/**
 * Starts a process that makes all its connections with one URL, which it reads from a file. It connects as the owner, unless
 * `options.user` is `role`.
 */
async function start(app: App, authorityFile: string, options: StartOptions = {}): Promise<AppProcess> {
  const secret = path.join(directory, `${app}.url`)
  const sslrootcert = path.join(directory, authorityFile)
  const user = options.user === 'role' ? users[app] : undefined
  const url = server.urlAt('localhost', { sslmode: 'verify-full', sslrootcert }, user)
  await writeFile(secret, `${url}\n`)
  const env = {
    DATABASE_URL_FILE: secret,
    API_BIND_ADDR: '127.0.0.1:0',
    API_OPS_BIND_ADDR: '127.0.0.1:0',
    WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
    // Short, so that the lease is renewed within the test.
    WORKER_LEASE_MS: '3000',
    WORKER_HEARTBEAT_MS: '500',
    ...(app === 'migrate' ? passwords : {}),
  }
  const process = startApp(app, env, options.args)
  started.push(process)
  return process
}

interface StartOptions {
  readonly args?: readonly string[]
  /** `role`: the process logs in with the password of its own role, and not as the owner. */
  readonly user?: 'role'
}

async function connections(): Promise<Readonly<Record<string, boolean>>> {
  const { rows } = await server.observer.query<{ name: string; tls: boolean }>(
    `SELECT application_name AS name, bool_and(ssl) AS tls FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
     WHERE application_name LIKE 'queue-%' GROUP BY 1`,
  )
  return Object.fromEntries(rows.map(({ name, tls }) => [name, tls]))
}

/** Ends every connection of the processes, so that new ones check the certificate again. */
async function breakConnections(): Promise<void> {
  await server.observer.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'queue-%'`,
  )
}

describe('with sslmode=verify-full', () => {
  test.each<App>(['migrate', 'api', 'worker'])(
    '%s refuses a server whose certificate is not signed by its authority, with one line',
    async (app) => {
      const process = await start(app, 'wrong.crt')
      expect(await process.ended).toBe(1)
      const error = process.log().at(-1)
      expect(error).toMatchObject({
        level: 'error',
        message: expect.stringMatching(/certificate.*not trusted/),
      })
    },
  )

  test.each<App>(['migrate', 'api', 'worker'])(
    '%s refuses a server whose certificate is for another name',
    async (app) => {
      await server.present(otherName)
      const process = await start(app, 'right.crt')
      expect(await process.ended).toBe(1)
      expect(process.log().at(-1)).toMatchObject({
        level: 'error',
        message: expect.stringMatching(/certificate.*another name.*localhost/),
      })
      await server.present(ownName)
    },
  )

  test('every connection of all three is made by TLS, and none by another certificate once that is shown', async () => {
    for (const command of ['up', 'roles']) {
      const migrate = await start('migrate', 'right.crt', { args: [command] })
      expect(await migrate.ended).toBe(0)
    }
    const api = await start('api', 'right.crt', { user: 'role' })
    const worker = await start('worker', 'right.crt', { user: 'role' })
    const { url } = await api.logged('ready')
    const all = { 'queue-api': true, 'queue-worker': true, 'queue-lease': true, 'queue-listener': true }
    await eventually(async () => expect(await connections()).toMatchObject(all) === undefined || true)

    await server.present(otherName)
    await breakConnections()
    await worker.logged('the lease could not be renewed; trying again', 'altnames')
    await worker.logged('no notifications arrive: polling until they do', 'altnames')
    await worker.logged('a claim failed; trying again', 'altnames')
    expect((await fetch(`${String(url)}/readyz`)).status).toBe(503)
    expect((await enqueue(String(url))).status).toBe(503)
    expect(await connections()).toEqual({})

    await server.present(ownName)
    const created = await eventually(async () => {
      const response = await enqueue(String(url))
      return response.status === 201 && response
    })
    const { id } = (await created.json()) as { readonly id: string }
    await eventually(async () => {
      const job = (await (await fetch(`${String(url)}/jobs/${id}`)).json()) as { readonly status: string }
      return job.status === 'succeeded'
    })
    await eventually(async () => expect(await connections()).toMatchObject(all) === undefined || true)
    // Requests to cancel a renewal use TLS too. Otherwise each renewal would leave a session.
    expect(await maxLeaseSessions(3_000)).toBe(1)
  })
})

/** The largest number of lease sessions while the registry of workers is locked for `lockedMs` milliseconds. */
async function maxLeaseSessions(lockedMs: number): Promise<number> {
  const observer = await server.observer.connect()
  let max = 0
  try {
    await observer.query('BEGIN; LOCK TABLE queue.workers IN ACCESS EXCLUSIVE MODE')
    const endMs = performance.now() + lockedMs
    while (performance.now() < endMs) {
      await observer.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await observer.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'queue-lease'`,
      )
      max = Math.max(max, rows[0]?.count ?? 0)
    }
    return max
  } finally {
    await observer.query('ROLLBACK')
    observer.release()
  }
}

function enqueue(url: string): Promise<Response> {
  return fetch(`${url}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'summarize_text', payload: { text: 'A long story.' } }),
  })
}
