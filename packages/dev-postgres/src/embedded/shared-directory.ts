import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { canReach } from './readable-by.ts'
import type { ServerUser } from './server-user.ts'

/** Every folder of ours in a system's temporary directory begins so; the sweep of stale servers looks for it. */
export const temporaryPrefix = 'queue-postgres-'

/** Those that outlive the servers: data that stays, and programs. The sweep leaves them alone. */
export const keptPrefix = `${temporaryPrefix}kept-`

/** The temporary directories that a server's files may go to, the preferred one first. */
export function temporaryRoots(): string[] {
  return [...new Set([tmpdir(), '/tmp', '/var/tmp'])]
}

/** A new, empty folder that the server's account can enter, whatever our umask and TMPDIR are. */
export async function makeTemporaryDirectory(user: ServerUser | undefined): Promise<string> {
  const directory = await mkdtemp(path.join(await reachableRoot(user), temporaryPrefix))
  // mkdtemp makes it 0700: right when the server runs as ourselves, closed to it when it runs as another.
  if (user !== undefined) await chmod(directory, 0o755)
  return directory
}

/**
 * The folder for a server whose files were to be in `wanted`: that one where the server's account can enter
 * it, else one in the temporary directory whose name follows from `wanted`, so that the next start finds the
 * same data again.
 */
export async function chosenDirectory(wanted: string, user: ServerUser | undefined): Promise<string> {
  await mkdir(wanted, { recursive: true })
  if (user === undefined) return wanted
  // A folder that we have just made carries our umask; its parents are the caller's and stay as they are.
  if (await canReach(user, path.dirname(await realpath(wanted)))) {
    await chmod(wanted, 0o755)
    return wanted
  }
  const digest = createHash('sha256').update(path.resolve(wanted)).digest('hex').slice(0, 16)
  const directory = path.join(await reachableRoot(user), `${keptPrefix}${digest}`)
  await mkdir(directory, { recursive: true })
  if (!(await isOurs(directory))) {
    throw new Error(`${directory} belongs to somebody else; remove it or choose another data directory`)
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
 * Whether `directory` is there and is ours alone to change. A predictable name in a shared folder may have been
 * taken by somebody else, who could then plant files.
 */
export async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined)
  if (found === undefined || !found.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}
