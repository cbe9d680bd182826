import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { PostgresServer } from '../postgres-server.ts'
import { installedBinaries, provideBinaries } from './binaries.ts'
import { provideCluster } from './cluster.ts'
import { launchServer } from './launch-server.ts'
import { releaseDirectory, takeDirectory } from './ownership.ts'
import { serverEnvironment } from './server-environment.ts'
import { serverFiles } from './server-files.ts'
import { findServerUser, type ServerUser } from './server-user.ts'
import { accessibleDirectory, makeDataDirectory } from './shared-directory.ts'
import { sweepStaleServers } from './sweep-stale-servers.ts'

export interface EmbeddedPostgresOptions {
  /** The folder for the server's files; by default a new one in memory, or in the system's temporary directory. */
  readonly directory?: string
  /**
   * Whether the data is kept for the next start in the same `directory`, which is required then. Default: whether a
   * directory is given. A server without persistent data is faster, because a power failure may damage its data.
   */
  readonly persistent?: boolean
  /** TCP port on 127.0.0.1; by default a free one. */
  readonly port?: number
  /** Server settings by their names in postgresql.conf. They override the defaults of this package. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** A PostgreSQL server that this process has started. */
export interface EmbeddedPostgres extends PostgresServer {
  readonly kind: 'embedded'
  readonly port: number
  /** The folder of its files. It is not the requested folder if the server's account cannot enter that one. */
  readonly directory: string
  /** Resolves when the server has ended, by `stop()` or by itself. */
  readonly ended: Promise<void>
}

const alwaysSettings = {
  listen_addresses: '127.0.0.1',
  // The path of a socket file has a length limit, which a deep temporary directory exceeds.
  unix_socket_directories: '',
  // For several test processes, each with pools, listeners and worker threads.
  max_connections: 300,
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** Settings of a server without persistent data. Commits still survive a crash of the server, but not of the machine. */
const temporarySettings = { fsync: 'off', full_page_writes: 'off' }

/**
 * Starts PostgreSQL 18 from installed binaries and resolves when it accepts connections. It works under any account, locale
 * and umask. The server ends with `stop()` or when this process ends, for any reason. Signals to this process's group do not
 * reach it, so that it can be stopped last. Throws if the directory is in use, the port is taken, or the server does not
 * start; the message then has the end of the server's log.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const persistent = options.persistent ?? options.directory !== undefined
  if (persistent && options.directory === undefined) throw new Error('Persistent data needs a directory')
  await sweepStaleServers()
  const user = await findServerUser()
  const directory = await (options.directory === undefined
    ? makeDataDirectory(user)
    : accessibleDirectory(path.resolve(options.directory), user))
  await takeDirectory(directory)
  const filesToDelete = persistent ? [] : temporaryFiles(directory, options)
  try {
    return await startIn({ directory, user, filesToDelete, options })
  } catch (error) {
    await release(directory, filesToDelete)
    throw error
  }
}

interface StartRequest {
  readonly directory: string
  readonly user: ServerUser | undefined
  /** The files and folders to delete when the server stops; empty if its data is persistent. */
  readonly filesToDelete: readonly string[]
  readonly options: EmbeddedPostgresOptions
}

async function startIn({ directory, user, filesToDelete, options }: StartRequest): Promise<EmbeddedPostgres> {
  const isTemporary = filesToDelete.length > 0
  const files = serverFiles(directory)
  if (isTemporary) await rm(files.dataDirectory, { recursive: true, force: true })
  const binaries = await provideBinaries(await installedBinaries(), user)
  const initdbFlags = isTemporary ? ['--no-sync', '--no-data-checksums'] : []
  const password = await provideCluster({ files, binaries, user, initdbFlags })
  const settings = { ...alwaysSettings, ...(isTemporary ? temporarySettings : {}), ...options.settings }
  const command = {
    postgres: binaries.postgres,
    args: [
      '-D',
      files.dataDirectory,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ],
    env: serverEnvironment(),
    identity: user === undefined ? {} : { uid: user.uid, gid: user.gid },
    logFile: files.logFile,
    removeWhenStopped: filesToDelete,
  }
  const { supervisor, port, url } = await launchServer({ directory, command, password, port: options.port })
  const stop = async (): Promise<void> => {
    await supervisor.stop()
    await release(directory, filesToDelete)
  }
  return { kind: 'embedded', url, port, directory, ended: supervisor.ended, stop }
}

/** A folder of the caller may hold other files, so only the server's own files in it are deleted. */
function temporaryFiles(directory: string, options: EmbeddedPostgresOptions): readonly string[] {
  return options.directory === undefined ? [directory] : Object.values(serverFiles(directory))
}

async function release(directory: string, filesToDelete: readonly string[]): Promise<void> {
  for (const file of filesToDelete) await rm(file, { recursive: true, force: true })
  releaseDirectory(directory)
}
