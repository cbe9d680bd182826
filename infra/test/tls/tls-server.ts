import { chown, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import pg from 'pg'
import type { Certified } from './certificates.ts'

export interface User {
  readonly name: string
  readonly password: string
}

/** A PostgreSQL that takes no connection without TLS. */
export interface TlsServer {
  /** The URL by which this user, or the owner, reaches the server under this name, with these parameters. */
  urlAt(host: string, parameters: Readonly<Record<string, string>>, user?: User): string
  /** Shows another certificate to whoever connects from now on. */
  show(certified: Certified): Promise<void>
  /** Connections that trust whatever they are shown, to look at the others. */
  readonly observer: pg.Pool
  stop(): Promise<void>
}

/** Starts a server of its own: the certificate of the one that the tests share is not theirs to choose. */
export async function startTlsServer(first: Certified): Promise<TlsServer> {
  const server = await startEmbeddedPostgres()
  const files = path.join(server.directory, 'data')
  await place(files, first)
  await writeFile(path.join(files, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  const plain = new pg.Pool({ connectionString: server.url, max: 1 })
  await plain.query('ALTER SYSTEM SET ssl = on')
  await plain.query('SELECT pg_reload_conf()')
  await plain.end()

  const trusting = { connectionString: `${server.url}?sslmode=no-verify`, max: 1 }
  const observer = new pg.Pool(trusting)
  observer.on('error', () => undefined)
  await eventually(() => observer.query('SELECT 1'), { what: 'the server speaks TLS' })
  const { username, password, port } = new URL(server.url)
  const owner: User = { name: username, password }
  return {
    observer,
    urlAt: (host, parameters, user = owner) =>
      `postgres://${user.name}:${user.password}@${host}:${port}/postgres?${new URLSearchParams(parameters).toString()}`,
    show: async (certified) => {
      await place(files, certified)
      const before = await loadedAt(observer)
      await observer.query('SELECT pg_reload_conf()')
      // The process that takes connections hears of it a little later.
      await eventually(async () => {
        const fresh = new pg.Pool(trusting)
        const at = await loadedAt(fresh)
        await fresh.end()
        return at > before
      })
    },
    stop: async () => {
      await observer.end()
      await server.stop()
    },
  }
}

/** When the configuration was read that this connection works under, as a number that grows. */
async function loadedAt(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ at: string }>('SELECT extract(epoch FROM pg_conf_load_time()) AS at')
  return Number(rows[0]?.at)
}

/** To where PostgreSQL looks for them unless told otherwise; it insists on being the key's only reader. */
async function place(directory: string, { certificate, key }: Certified): Promise<void> {
  const { uid, gid } = await stat(directory)
  for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    const file = path.join(directory, name)
    await writeFile(file, text, { mode: 0o600 })
    await chown(file, uid, gid)
  }
}
