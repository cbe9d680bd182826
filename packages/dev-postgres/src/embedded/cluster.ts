import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ServerBinaries } from './binaries.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerFiles } from './server-files.ts'
import type { ServerUser } from './server-user.ts'

const run = promisify(execFile)

export interface ProvideClusterOptions {
  readonly files: ServerFiles
  readonly binaries: ServerBinaries
  readonly user: ServerUser | undefined
  /** Flags for initdb beside those that every cluster gets. */
  readonly initdbFlags: readonly string[]
}

/**
 * Makes a cluster by initdb where there is none yet, and answers with the password of its superuser,
 * `postgres`. initdb works beside the final name, so one that was cut short leaves no cluster behind.
 */
export async function provideCluster(options: ProvideClusterOptions): Promise<string> {
  const { files } = options
  if (!(await exists(files.dataDirectory))) {
    await prepare(options)
    await initialise(options)
    await rename(files.unfinishedData, files.dataDirectory)
  }
  return (await readFile(files.passwordFile, 'utf8')).trim()
}

async function prepare({ files, user }: ProvideClusterOptions): Promise<void> {
  await rm(files.unfinishedData, { recursive: true, force: true })
  await mkdir(files.unfinishedData, { mode: 0o700 })
  await rm(files.passwordFile, { force: true })
  await writeFile(files.passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  if (user === undefined) return
  // initdb reads the password as the server's account: it has to own the file, or a umask of 077 hides it.
  await chown(files.unfinishedData, user.uid, user.gid)
  await chown(files.passwordFile, user.uid, user.gid)
}

async function initialise({ files, binaries, user, initdbFlags }: ProvideClusterOptions): Promise<void> {
  const flags = [
    `--pgdata=${files.unfinishedData}`,
    '--username=postgres',
    `--pwfile=${files.passwordFile}`,
    '--auth=scram-sha-256',
    // The password is 24 random bytes: iterations would add nothing but time to every connection.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    ...initdbFlags,
  ]
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  try {
    await run(binaries.initdb, flags, { ...identity, cwd: files.unfinishedData, env: serverEnvironment() })
  } catch (error) {
    throw new Error(`initdb failed: ${outputOf(error)}`, { cause: error })
  }
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : ''
  return stderr === '' ? error.message : stderr
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
