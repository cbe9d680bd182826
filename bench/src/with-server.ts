import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '@queue/dev-postgres'

export interface ServerChoice {
  /** The URL of an existing server; undefined to start a fresh one. */
  readonly existingUrl: string | undefined
  /** The settings of a fresh server. */
  readonly settings?: NonNullable<EmbeddedPostgresOptions['settings']>
}

/** The settings of a server that counts costs, with as few disturbances as default durability allows. */
export const countingSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  // A checkpoint runs before each measurement, and none during it.
  checkpoint_timeout: '1d',
  max_wal_size: '16GB',
  // It would disturb some measurements and not others, because the databases exist only for seconds.
  autovacuum: 'off',
} as const

/** Runs `body` on the existing server, or on a fresh one with default durability, which is removed afterwards. */
export async function withServer<Result>(
  { existingUrl, settings }: ServerChoice,
  body: (url: string) => Promise<Result>,
): Promise<Result> {
  if (existingUrl !== undefined) return body(existingUrl)
  const directory = path.join(tmpdir(), `queue-bench-${process.pid}`)
  const server = await startEmbeddedPostgres({
    directory,
    persistent: true,
    ...(settings === undefined ? {} : { settings }),
  })
  try {
    return await body(server.url)
  } finally {
    await server.stop()
    await rm(server.directory, { recursive: true, force: true })
  }
}
