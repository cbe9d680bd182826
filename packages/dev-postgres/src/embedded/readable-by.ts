import type { Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerUser } from './server-user.ts'

/** What is asked of an entry, as the three permission bits of one class: 4 read, 2 write, 1 execute or enter. */
const read = 4
const enter = 1

/** Whether `user` may pass through every folder from the root to `directory`, itself included. */
export async function canReach(user: ServerUser, directory: string): Promise<boolean> {
  let current = await realpath(directory)
  for (;;) {
    if (!permits(user, await stat(current), enter)) return false
    const parent = path.dirname(current)
    if (parent === current) return true
    current = parent
  }
}

/** Whether `user` may read everything below `directory`, and run what its owner may run. */
export async function canReadTree(user: ServerUser, directory: string): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
    if (found === undefined) continue // A link to nothing, which nobody can read.
    const runs = found.isDirectory() || (found.mode & 0o100) !== 0
    if (!permits(user, found, runs ? read | enter : read)) return false
  }
  return true
}

function permits(user: ServerUser, entry: Stats, bits: number): boolean {
  const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0
  return ((entry.mode >> shift) & bits) === bits
}
