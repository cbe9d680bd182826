import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '@queue/dev-postgres'

export interface ServerChoice {
  /** The URL of a server that is there; undefined for a fresh one. */
  readonly given: string | undefined
  /** Settings of a fresh one. */
  readonly settings?: NonNullable<EmbeddedPostgresOptions['settings']>
}

/** Runs `body` on the server that is there, or on a fresh one of default durability that is gone afterwards. */
export async function onServer<Result>(
  { given, settings }: ServerChoice,
  body: (url: string) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined) return body(given)
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
