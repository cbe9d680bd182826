import { createHash } from 'node:crypto'
import { chmod, cp, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerUser } from './server-user.ts'
import { isOurs, keptPrefix, makeTemporaryDirectory } from './shared-directory.ts'

/**
 * A copy of the tree at `root` in the temporary directory, readable by every account. Copying takes longer than all other
 * steps of a start, so the copy is kept for later servers. It gets its final name when it is complete.
 */
export async function provideCopy(root: string, user: ServerUser): Promise<string> {
  const unfinished = await makeTemporaryDirectory(user)
  try {
    const copy = path.join(path.dirname(unfinished), `${keptPrefix}${await digestOf(root)}`)
    if (await isOurs(copy)) return copy
    // Static libraries are a quarter of the size, and only a compiler needs them.
    const filter = (name: string) => !name.endsWith('.a')
    await cp(root, unfinished, { recursive: true, verbatimSymlinks: true, filter })
    await makeReadable(unfinished)
    // This fails if another process was faster. Its copy is just as good.
    await rename(unfinished, copy).catch(() => undefined)
    if (!(await isOurs(copy))) throw new Error(`${copy} belongs to another account; remove it`)
    return copy
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** A digest of the tree's path and modification time, so that it changes with another installation. */
async function digestOf(root: string): Promise<string> {
  const { mtimeMs } = await stat(root)
  return createHash('sha256').update(`${root}\0${mtimeMs}`).digest('hex').slice(0, 16)
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const isExecutable = entry.isDirectory() || ((await stat(file)).mode & 0o100) !== 0
    await chmod(file, isExecutable ? 0o755 : 0o644)
  }
}
