import { mayHaveDocker } from './container/may-have-docker.ts'
import { startContainerPostgres } from './container/start-container-postgres.ts'
import { startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts'
import type { PostgresServer } from './postgres-server.ts'
import { askSharedServer } from './shared-server.ts'

export interface AcquireServerOptions {
  readonly environment?: NodeJS.ProcessEnv
  /** How long a Docker engine may take to answer, in milliseconds. */
  readonly dockerProbeMs?: number
  /** How long a container may take to be up, in milliseconds. */
  readonly containerStartMs?: number
  /** Where the line goes that says which server it is, and why; by default to stderr. */
  readonly log?: (line: string) => void
}

const defaultImage = 'postgres:18'

/**
 * A PostgreSQL server for tests or development: the one that `TEST_DATABASE_URL` names; else the one that
 * this test run shares; else a container (of `TESTCONTAINERS_POSTGRES_IMAGE`) where a Docker engine answers
 * and it is up within a minute; else an embedded server. Whoever acquires it stops it.
 */
export async function acquireServer(options: AcquireServerOptions = {}): Promise<PostgresServer> {
  const environment = options.environment ?? process.env
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`))
  const given = environment['TEST_DATABASE_URL']
  if (given !== undefined && given !== '') {
    // Every test file passes here; whoever started its process has said it once.
    if (environment['JEST_WORKER_ID'] === undefined) {
      log('PostgreSQL for tests: the server that TEST_DATABASE_URL names')
    }
    return { kind: 'given', url: given, stop: async () => undefined }
  }
  const shared = await askSharedServer(environment)
  if (shared !== undefined) return { kind: 'given', url: shared, stop: async () => undefined }

  let reason = 'there is no Docker engine'
  if (await mayHaveDocker(environment)) {
    const image = environment['TESTCONTAINERS_POSTGRES_IMAGE'] ?? defaultImage
    try {
      const { dockerProbeMs: probeMs = 5_000, containerStartMs: startMs = 60_000 } = options
      const server = await startContainerPostgres({ probeMs, startMs, image })
      log(`PostgreSQL for tests: a container of ${image}, since a Docker engine answers`)
      return server
    } catch (error) {
      reason = `no container: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  const server = await startEmbeddedPostgres()
  log(`PostgreSQL for tests: an embedded server on port ${server.port} (${reason})`)
  return server
}
