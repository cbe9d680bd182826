import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** An account that a server process runs as. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * The accounts that a server can run as, in order of preference. Common systems have at least one of them: `postgres` if a
 * package or an image created it, `nobody` nearly everywhere.
 */
const candidates = ['postgres', '_postgres', 'nobody', 'daemon']

/**
 * The account for the server; undefined means the account of this process. Another is needed for root, because PostgreSQL
 * refuses to run as root. It must be in the system's account database, because initdb looks its own name up.
 */
export async function findServerUser(uid = process.getuid?.()): Promise<ServerUser | undefined> {
  if (uid !== 0) return undefined
  for (const name of candidates) {
    const user = await findUser(name)
    if (user !== undefined) return user
  }
  throw new Error(
    `PostgreSQL does not run as root, and none of the accounts ${candidates.join(', ')} exists here. ` +
      'Run as an ordinary user, add an account named postgres, or name a server in TEST_DATABASE_URL.',
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
