import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, realpath, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { canReach } from './readable-by.ts'
import type { ServerUser } from './server-user.ts'

/** The prefix of every folder of this package in a temporary directory. The sweep of stale servers searches for it. */
export const temporaryPrefix = 'queue-postgres-'

/** The prefix of folders that outlive a server: persistent data, and programs. The sweep does not remove them. */
export const keptPrefix = `${temporaryPrefix}kept-`

/** The temporary directories for the files of a server, in order of preference. */
export function temporaryRoots(): string[] {
  return [...new Set([tmpdir(), '/tmp', '/var/tmp'])]
}

/** Where Linux keeps files in memory. */
export const memoryRoot = '/dev/shm'
/** In the middle of a whole test run, all files in memory came to less than 2.4 GB. */
const memoryNeededBytes = 8 * 1_024 ** 3

/**
 * Creates the folder for the data of a server that is temporary: in memory where there is plenty, because a test database is
 * hundreds of files, whose creation costs a test run about 7 % of its processor time on ext4. Else, and wherever TMPDIR says so,
 * in a temporary directory.
 */
export async function makeDataDirectory(user: ServerUser | undefined): Promise<string> {
  const inMemory = process.env['TMPDIR'] === undefined && (await hasMemoryFor(user))
  return inMemory ? makeDirectoryIn(memoryRoot, user) : makeTemporaryDirectory(user)
}

async function hasMemoryFor(user: ServerUser | undefined): Promise<boolean> {
  if (process.platform !== 'linux' || process.availableMemory() < memoryNeededBytes) return false
  const { bavail, bsize } = await statfs(memoryRoot).catch(() => ({ bavail: 0, bsize: 0 }))
  if (bavail * bsize < memoryNeededBytes) return false
  return user === undefined || canReach(user, memoryRoot).catch(() => false)
}

/** Creates an empty folder that the server's account can enter, with any umask and TMPDIR of this process. */
export async function makeTemporaryDirectory(user: ServerUser | undefined): Promise<string> {
  return makeDirectoryIn(await reachableRoot(user), user)
}

async function makeDirectoryIn(root: string, user: ServerUser | undefined): Promise<string> {
  const directory = await mkdtemp(path.join(root, temporaryPrefix))
  // mkdtemp creates it with mode 0700, which closes it to a server that runs as another account.
  if (user !== undefined) await chmod(directory, 0o755)
  return directory
}

/**
 * The folder for the files of a server: `requested`, if the server's account can enter it; else one in the temporary
 * directory whose name depends on `requested`, so that the next start finds the same data again.
 */
export async function accessibleDirectory(requested: string, user: ServerUser | undefined): Promise<string> {
  await mkdir(requested, { recursive: true })
  if (user === undefined) return requested
  // A new folder has the mode of this process's umask. Its parents belong to the caller and are not changed.
  if (await canReach(user, path.dirname(await realpath(requested)))) {
    await chmod(requested, 0o755)
    return requested
  }
  const digest = createHash('sha256').update(path.resolve(requested)).digest('hex').slice(0, 16)
  const directory = path.join(await reachableRoot(user), `${keptPrefix}${digest}`)
  await mkdir(directory, { recursive: true })
  if (!(await isOurs(directory))) {
    throw new Error(`${directory} belongs to another account; remove it or choose another data directory`)
  }
  await chmod(directory, 0o755)
  return directory
}

async function reachableRoot(user: ServerUser | undefined): Promise<string> {
  if (user === undefined) return tmpdir()
  for (const root of temporaryRoots()) {
    if (await canReach(user, root).catch(() => false)) return root
  }
  throw new Error(
    `The account ${user.name}, which the server would run as, can enter none of ${temporaryRoots().join(', ')}. ` +
      'Point TMPDIR at a folder that it can enter, or run as an ordinary user.',
  )
}

/**
 * Whether `directory` exists and only this account can change it. Its name in a shared folder is predictable, so another
 * account could have created it to plant files.
 */
export async function isOurs(directory: string): Promise<boolean> {
  const stats = await lstat(directory).catch(() => undefined)
  if (stats === undefined || !stats.isDirectory()) return false
  return stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0
}
