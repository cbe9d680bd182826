import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { type EmbeddedPostgres, eventually, onConnection, startEmbeddedPostgres } from '@queue/dev-postgres'
import { migrateUp } from '@queue/core'
import { connect, takesWrites } from '@queue/core/internal'
import { diagnose, type Finding } from '../src/index.ts'

const settings = { fsync: 'off' }

async function writableAt(url: string): Promise<boolean> {
  const database = connect({ connectionString: url })
  try {
    return await takesWrites(database)
  } finally {
    await database.close()
  }
}

async function writesFinding(connectionString: string): Promise<Finding | undefined> {
  const { findings } = await diagnose({ connectionString, clientNowMs: () => Date.now() })
  return findings.find(({ check }) => check === 'writes')
}

/** The URL for a session whose transactions are read-only, as with a setting of its role. */
function readOnly(url: string): string {
  return `${url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`
}

test('a standby and a read-only session refuse writes, and doctor reports which one it is', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-standby-'))
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ directory, settings })
  try {
    await migrateUp({ connectionString: server.url })
    expect(await writableAt(server.url)).toBe(true)
    expect(await writableAt(readOnly(server.url))).toBe(false)
    expect(await writesFinding(server.url)).toMatchObject({ status: 'ok' })
    expect(await writesFinding(readOnly(server.url))).toMatchObject({
      status: 'failure',
      details: { standby: false, read_only: ['this connection'] },
    })
    await onConnection(server.url, (client) =>
      client.query('ALTER ROLE postgres SET default_transaction_read_only = on'),
    )
    const ofRole = await writesFinding(server.url)
    expect(ofRole).toMatchObject({ status: 'failure', details: { read_only: ['role postgres'] } })
    await onConnection(
      `${server.url}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`,
      (client) => client.query(ofRole?.cure?.split(' then ')[0] ?? ''),
    )
    expect(await writesFinding(server.url)).toMatchObject({ status: 'ok' })

    await server.stop()
    await writeFile(path.join(server.directory, 'data', 'standby.signal'), '')
    server = await startEmbeddedPostgres({ directory, port: server.port, settings })
    expect(await writableAt(server.url)).toBe(false)
    expect(await writesFinding(server.url)).toMatchObject({ status: 'failure', details: { standby: true } })
    await onConnection(server.url, (client) => client.query('SELECT pg_promote()'))
    await eventually(() => writableAt(server.url), { what: 'the standby promoted' })
    expect(await writesFinding(server.url)).toMatchObject({ status: 'ok' })
  } finally {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
})
