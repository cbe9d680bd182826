import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { PostgresServer } from '../postgres-server.ts'
import { installedBinaries, provideBinaries } from './binaries.ts'
import { provideCluster } from './cluster.ts'
import { launchServer } from './launch-server.ts'
import { leaveDirectory, takeDirectory } from './ownership.ts'
import { serverEnvironment } from './server-environment.ts'
import { serverFiles } from './server-files.ts'
import { findServerUser, type ServerUser } from './server-user.ts'
import { chosenDirectory, makeTemporaryDirectory } from './shared-directory.ts'
import { sweepStaleServers } from './sweep-stale-servers.ts'

export interface EmbeddedPostgresOptions {
  /** Where the server's files go; by default a new folder in the system's temporary directory. */
  readonly directory?: string
  /**
   * Whether the data stays for the next start in the same `directory`, which must be given then. By default
   * it stays where a directory was given. A server whose data does not stay trades safety against a power
   * cut for speed.
   */
  readonly persistent?: boolean
  /** TCP port on 127.0.0.1; by default a free one. */
  readonly port?: number
  /** Server settings over our own defaults, by their name in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** A PostgreSQL server of our own. */
export interface EmbeddedPostgres extends PostgresServer {
  readonly kind: 'embedded'
  readonly port: number
  /** Where its files are: not the folder asked for, when the server's account cannot enter that one. */
  readonly directory: string
  /** Settles when the server has ended, whether stopped by us or by itself. */
  readonly ended: Promise<void>
}

const alwaysSettings = {
  listen_addresses: '127.0.0.1',
  // A socket file's path has a length limit that a deep temporary directory exceeds.
  unix_socket_directories: '',
  // Several test processes, each with pools, listeners and worker threads.
  max_connections: 300,
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** Nothing here changes what a commit promises while the machine stays up, a crash of the server included. */
const passingSettings = { fsync: 'off', full_page_writes: 'off' }

/**
 * Starts PostgreSQL 18 from installed binaries and answers when it accepts connections. It needs no account,
 * locale or umask to be right, and it ends with `stop()` or with this process, in whatever way this process
 * ends; signals to this process's group do not reach it, so that it can be stopped last.
 * Throws when the directory is in use, the port is taken, or the server does not come up, with its own words.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const persistent = options.persistent ?? options.directory !== undefined
  if (persistent && options.directory === undefined) throw new Error('Data that stays needs a directory')
  await sweepStaleServers()
  const user = await findServerUser()
  const directory = await (options.directory === undefined
    ? makeTemporaryDirectory(user)
    : chosenDirectory(path.resolve(options.directory), user))
  await takeDirectory(directory)
  const passingFiles = persistent ? [] : passingFilesOf(directory, options)
  try {
    return await startIn({ directory, user, passingFiles, options })
  } catch (error) {
    await release(directory, passingFiles)
    throw error
  }
}

interface Start {
  readonly directory: string
  readonly user: ServerUser | undefined
  /** What is deleted with the server; empty when its data stays. */
  readonly passingFiles: readonly string[]
  readonly options: EmbeddedPostgresOptions
}

async function startIn({ directory, user, passingFiles, options }: Start): Promise<EmbeddedPostgres> {
  const passing = passingFiles.length > 0
  const files = serverFiles(directory)
  if (passing) await rm(files.dataDirectory, { recursive: true, force: true })
  const binaries = await provideBinaries(await installedBinaries(), user)
  const initdbFlags = passing ? ['--no-sync', '--no-data-checksums'] : []
  const password = await provideCluster({ files, binaries, user, initdbFlags })
  const settings = { ...alwaysSettings, ...(passing ? passingSettings : {}), ...options.settings }
  const order = {
    postgres: binaries.postgres,
    args: [
      '-D',
      files.dataDirectory,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ],
    env: serverEnvironment(),
    identity: user === undefined ? {} : { uid: user.uid, gid: user.gid },
    logFile: files.logFile,
    removeWhenStopped: passingFiles,
  }
  const { supervisor, port, url } = await launchServer({ directory, order, password, port: options.port })
  const stop = async (): Promise<void> => {
    await supervisor.stop()
    await release(directory, passingFiles)
  }
  return { kind: 'embedded', url, port, directory, ended: supervisor.ended, stop }
}

/** A folder that was given may hold more than ours: then only what we put there is deleted. */
function passingFilesOf(directory: string, options: EmbeddedPostgresOptions): readonly string[] {
  return options.directory === undefined ? [directory] : Object.values(serverFiles(directory))
}

async function release(directory: string, passingFiles: readonly string[]): Promise<void> {
  for (const file of passingFiles) await rm(file, { recursive: true, force: true })
  leaveDirectory(directory)
}
