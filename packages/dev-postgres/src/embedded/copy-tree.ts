import { createHash } from 'node:crypto'
import { chmod, cp, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerUser } from './server-user.ts'
import { isOurs, keptPrefix, makeTemporaryDirectory } from './shared-directory.ts'

/**
 * A copy of the tree at `root` that everybody may read, in the temporary directory. It is made once and kept for
 * the next servers: it takes longer than all the rest of a start. A copy is renamed when it is whole.
 */
export async function provideCopy(root: string, user: ServerUser): Promise<string> {
  const unfinished = await makeTemporaryDirectory(user)
  try {
    const copy = path.join(path.dirname(unfinished), `${keptPrefix}${await digestOf(root)}`)
    if (await isOurs(copy)) return copy
    // Static libraries are a quarter of the size, and only a compiler wants them.
    const filter = (name: string) => !name.endsWith('.a')
    await cp(root, unfinished, { recursive: true, verbatimSymlinks: true, filter })
    await openTree(unfinished)
    // Where another process was faster this fails, or replaces nothing: its copy is as good.
    await rename(unfinished, copy).catch(() => undefined)
    if (!(await isOurs(copy))) throw new Error(`${copy} belongs to somebody else; remove it`)
    return copy
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Changes with the place of the tree and with its installation. */
async function digestOf(root: string): Promise<string> {
  const { mtimeMs } = await stat(root)
  return createHash('sha256').update(`${root}\0${mtimeMs}`).digest('hex').slice(0, 16)
}

async function openTree(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const runs = entry.isDirectory() || ((await stat(file)).mode & 0o100) !== 0
    await chmod(file, runs ? 0o755 : 0o644)
  }
}
