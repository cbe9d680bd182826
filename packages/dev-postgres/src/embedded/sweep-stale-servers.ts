import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ownershipState, stopOrphanedServer } from './ownership.ts'
import { keptPrefix, memoryRoot, temporaryPrefix, temporaryRoots } from './shared-directory.ts'

/** In milliseconds. A younger folder may not have its owner file yet. */
const untouchedMsMin = 60_000

/**
 * Stops and removes the temporary servers whose supervisor was killed before it could. It touches only servers of this
 * account on this host whose folder has no owner, and never persistent data.
 */
export async function sweepStaleServers(roots = [memoryRoot, ...temporaryRoots()]): Promise<void> {
  for (const root of roots) {
    const names = await readdir(root).catch(() => [])
    for (const name of names) {
      if (!name.startsWith(temporaryPrefix) || name.startsWith(keptPrefix)) continue
      await sweep(path.join(root, name)).catch(() => undefined) // Another process may be removing the same folder.
    }
  }
}

async function sweep(directory: string): Promise<void> {
  const stats = await stat(directory)
  if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) return
  if (Date.now() - stats.mtimeMs < untouchedMsMin || ownershipState(directory) !== 'free') return
  await stopOrphanedServer(directory)
  await rm(directory, { recursive: true, force: true })
}
