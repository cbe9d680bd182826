import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The identity that a server process runs under; undefined means our own. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * Accounts that a server may borrow, in order of preference. Each exists on the common systems without
 * creating anything: `postgres` where a package or an image made it, `nobody` nearly everywhere.
 */
const candidates = ['postgres', '_postgres', 'nobody', 'daemon']

/**
 * The account for the server: our own, unless we are root, which PostgreSQL refuses to run as. It must be
 * in the account database, since initdb looks its own name up.
 */
export async function findServerUser(uid = process.getuid?.()): Promise<ServerUser | undefined> {
  if (uid !== 0) return undefined
  for (const name of candidates) {
    const user = await findUser(name)
    if (user !== undefined) return user
  }
  throw new Error(
    `PostgreSQL does not run as root, and none of the accounts ${candidates.join(', ')} exists here. ` +
      'Run as an ordinary user, add an account named postgres, or give a server by its URL.',
  )
}

async function findUser(name: string): Promise<ServerUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    const user = { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
    return Number.isInteger(user.uid) && user.uid > 0 && Number.isInteger(user.gid) ? user : undefined
  } catch {
    return undefined
  }
}
