import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { binariesPackage, type ServerBinaries } from './binaries.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerFiles } from './server-files.ts'
import type { ServerUser } from './server-user.ts'

const run = promisify(execFile)

export interface ProvideClusterOptions {
  readonly files: ServerFiles
  readonly binaries: ServerBinaries
  readonly user: ServerUser | undefined
  /** Flags for initdb in addition to those of every cluster. */
  readonly initdbFlags: readonly string[]
}

/**
 * Creates a cluster with initdb if there is none yet, and resolves with the password of its superuser, `postgres`. initdb
 * works under another name, which is changed at the end, so an interrupted run leaves no incomplete cluster.
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
  // initdb reads the password file as the server's account, so that account must own the file.
  await chown(files.unfinishedData, user.uid, user.gid)
  await chown(files.passwordFile, user.uid, user.gid)
}

async function initialise({ files, binaries, user, initdbFlags }: ProvideClusterOptions): Promise<void> {
  const flags = [
    `--pgdata=${files.unfinishedData}`,
    '--username=postgres',
    `--pwfile=${files.passwordFile}`,
    '--auth=scram-sha-256',
    // The password is 24 random bytes: more iterations would only slow down every connection.
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
    throw new Error(`initdb failed: ${withCure(outputOf(error))}`, { cause: error })
  }
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : ''
  return stderr === '' ? error.message : stderr
}

/** Adds what to do if the loader of the operating system does not find the libraries of the program. */
function withCure(output: string): string {
  if (!/loading shared libraries|Library not loaded/.test(output)) return output
  const packageName = binariesPackage()
  return [
    output,
    `The install script of ${packageName}, which links these libraries, has not run, and this account cannot link them.`,
    `With pnpm, add it to allowBuilds in pnpm-workspace.yaml ('${packageName}': true) and run pnpm rebuild.`,
    'With another package manager, start the server once as the account that owns node_modules.',
  ].join('\n')
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
