import { within } from '../eventually.ts'
import type { PostgresServer } from '../postgres-server.ts'

export interface ContainerPostgresOptions {
  /** How long the engine may take to answer, in milliseconds. */
  readonly probeMs: number
  /** How long the container may take to start, including the download of its image, in milliseconds. */
  readonly startMs: number
  readonly image: string
}

/**
 * Starts PostgreSQL in a container. Throws if no engine answers, or if the container does not start in time; a container
 * that starts too late is stopped. The container library removes the containers of killed processes.
 */
export async function startContainerPostgres(options: ContainerPostgresOptions): Promise<PostgresServer> {
  const { getContainerRuntimeClient, PostgreSqlContainer } = await loadLibrary()
  await within(options.probeMs, 'Connecting to the Docker engine', getContainerRuntimeClient())
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'timezone=UTC']
  const starting = new PostgreSqlContainer(options.image)
    .withCommand(['postgres', ...settings.flatMap((setting) => ['-c', setting])])
    .start()
  const container = await within(options.startMs, `Starting ${options.image}`, starting).catch((error) => {
    starting.then(
      (lateContainer) => lateContainer.stop(),
      () => undefined,
    )
    throw error
  })
  let stopped: Promise<unknown> | undefined
  const stop = async (): Promise<void> => {
    stopped ??= container.stop()
    await stopped
  }
  return { kind: 'container', url: container.getConnectionUri(), stop }
}

/** The container library is an optional peer, because it brings 160 packages that only its users need. */
async function loadLibrary() {
  try {
    const { getContainerRuntimeClient } = await import('testcontainers')
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
    return { getContainerRuntimeClient, PostgreSqlContainer }
  } catch (cause) {
    throw new Error('testcontainers and @testcontainers/postgresql are not installed', { cause })
  }
}
