import { chown, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import pg from 'pg'
import type { KeyPair } from './certificates.ts'

export interface User {
  readonly name: string
  readonly password: string
}

/** A PostgreSQL server that refuses connections without TLS. */
export interface TlsServer {
  /** The URL of the server under this host name, with these parameters, for this user; default: the owner. */
  urlAt(host: string, parameters: Readonly<Record<string, string>>, user?: User): string
  /** Replaces the certificate that the server presents to new connections. */
  present(keyPair: KeyPair): Promise<void>
  /** Connections that trust any certificate, to observe the other connections. */
  readonly observer: pg.Pool
  stop(): Promise<void>
}

/** Starts a separate server, because these tests must choose its certificate. */
export async function startTlsServer(keyPair: KeyPair): Promise<TlsServer> {
  const server = await startEmbeddedPostgres()
  const files = path.join(server.directory, 'data')
  await writeKeyPair(files, keyPair)
  await writeFile(path.join(files, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  const withoutTls = new pg.Pool({ connectionString: server.url, max: 1 })
  await withoutTls.query('ALTER SYSTEM SET ssl = on')
  await withoutTls.query('SELECT pg_reload_conf()')
  await withoutTls.end()

  const trusting = { connectionString: `${server.url}?sslmode=no-verify`, max: 1 }
  const observer = new pg.Pool(trusting)
  observer.on('error', () => undefined)
  await eventually(() => observer.query('SELECT 1'), { what: 'a connection with TLS' })
  const { username, password, port } = new URL(server.url)
  const owner: User = { name: username, password }
  return {
    observer,
    urlAt: (host, parameters, user = owner) =>
      `postgres://${user.name}:${user.password}@${host}:${port}/postgres?${new URLSearchParams(parameters).toString()}`,
    present: async (newKeyPair) => {
      await writeKeyPair(files, newKeyPair)
      const loadedBefore = await configurationLoadTime(observer)
      await observer.query('SELECT pg_reload_conf()')
      // The process that accepts connections reloads a little later.
      await eventually(async () => {
        const newPool = new pg.Pool(trusting)
        const loaded = await configurationLoadTime(newPool)
        await newPool.end()
        return loaded > loadedBefore
      })
    },
    stop: async () => {
      await observer.end()
      await server.stop()
    },
  }
}

/** When the server loaded the configuration that this connection uses, in seconds since 1970. */
async function configurationLoadTime(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ at: string }>('SELECT extract(epoch FROM pg_conf_load_time()) AS at')
  return Number(rows[0]?.at)
}

/** Writes the files to the default location of PostgreSQL, which requires that only its account can read the key. */
async function writeKeyPair(directory: string, { certificate, key }: KeyPair): Promise<void> {
  const { uid, gid } = await stat(directory)
  for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    const file = path.join(directory, name)
    await writeFile(file, text, { mode: 0o600 })
    await chown(file, uid, gid)
  }
}
