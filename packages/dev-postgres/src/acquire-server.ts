import { mayHaveDocker } from './container/may-have-docker.ts'
import { startContainerPostgres } from './container/start-container-postgres.ts'
import { startEmbeddedPostgres } from './embedded/start-embedded-postgres.ts'
import type { PostgresServer } from './postgres-server.ts'
import { requestSharedServer } from './shared-server.ts'

export interface AcquireServerOptions {
  readonly environment?: NodeJS.ProcessEnv
  /** How long a Docker engine may take to answer, in milliseconds. */
  readonly dockerProbeMs?: number
  /** How long a container may take to start, in milliseconds. */
  readonly containerStartMs?: number
  /** Called with one line that names the server and the reason for the choice. By default it writes to stderr. */
  readonly log?: (line: string) => void
}

const defaultImage = 'postgres:18'

/**
 * A PostgreSQL server for tests or development. It is the server at `TEST_DATABASE_URL`, if that is set; else the server
 * that this test run shares; else a container of `TESTCONTAINERS_POSTGRES_IMAGE`, if a Docker engine answers and the
 * container starts within a minute; else an embedded server. The caller must stop it.
 */
export async function acquireServer(options: AcquireServerOptions = {}): Promise<PostgresServer> {
  const environment = options.environment ?? process.env
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`))
  const configuredUrl = environment['TEST_DATABASE_URL']
  if (configuredUrl !== undefined && configuredUrl !== '') {
    // Every test file comes here, but the process that runs the tests has logged it already.
    if (environment['JEST_WORKER_ID'] === undefined) {
      log('PostgreSQL for tests: the server at TEST_DATABASE_URL')
    }
    return { kind: 'given', url: configuredUrl, stop: async () => undefined }
  }
  const sharedUrl = await requestSharedServer(environment)
  if (sharedUrl !== undefined) return { kind: 'given', url: sharedUrl, stop: async () => undefined }

  let reason = 'there is no Docker engine'
  if (await mayHaveDocker(environment)) {
    const image = environment['TESTCONTAINERS_POSTGRES_IMAGE'] ?? defaultImage
    try {
      const { dockerProbeMs: probeMs = 5_000, containerStartMs: startMs = 60_000 } = options
      const server = await startContainerPostgres({ probeMs, startMs, image })
      log(`PostgreSQL for tests: a container of ${image}, because a Docker engine answers`)
      return server
    } catch (error) {
      reason = `no container: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  const server = await startEmbeddedPostgres()
  log(`PostgreSQL for tests: an embedded server on port ${server.port} (${reason})`)
  return server
}
