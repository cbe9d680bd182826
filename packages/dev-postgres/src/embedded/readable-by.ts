import type { Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerUser } from './server-user.ts'

/** Permission bits of one class of accounts, as in a file's mode: 4 read, 1 execute or enter. */
const read = 4
const enter = 1

/** Whether `user` may enter every folder from the root down to `directory`, including `directory`. */
export async function canReach(user: ServerUser, directory: string): Promise<boolean> {
  let current = await realpath(directory)
  for (;;) {
    if (!permits(user, await stat(current), enter)) return false
    const parent = path.dirname(current)
    if (parent === current) return true
    current = parent
  }
}

/** Whether `user` may read every file below `directory`, and execute those that their owner may execute. */
export async function canReadTree(user: ServerUser, directory: string): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const stats = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
    if (stats === undefined) continue // A dangling link, which no account can read.
    const isExecutable = stats.isDirectory() || (stats.mode & 0o100) !== 0
    if (!permits(user, stats, isExecutable ? read | enter : read)) return false
  }
  return true
}

function permits(user: ServerUser, entry: Stats, bits: number): boolean {
  const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0
  return ((entry.mode >> shift) & bits) === bits
}
