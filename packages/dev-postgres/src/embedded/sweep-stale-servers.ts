import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { possessionOf, stopOrphan } from './ownership.ts'
import { keptPrefix, temporaryPrefix, temporaryRoots } from './shared-directory.ts'

/** A folder younger than this may not have its owner written down yet. */
const untouchedMsMin = 60_000

/**
 * Stops and removes the temporary servers whose supervisor was killed before it could do so. Only this
 * account's, on this host, and only those that nobody holds; never the kept data of a persistent one.
 */
export async function sweepStaleServers(roots = temporaryRoots()): Promise<void> {
  for (const root of roots) {
    const names = await readdir(root).catch(() => [])
    for (const name of names) {
      if (!name.startsWith(temporaryPrefix) || name.startsWith(keptPrefix)) continue
      await sweep(path.join(root, name)).catch(() => undefined) // Somebody else may be sweeping the same.
    }
  }
}

async function sweep(directory: string): Promise<void> {
  const found = await stat(directory)
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return
  if (Date.now() - found.mtimeMs < untouchedMsMin || possessionOf(directory) !== 'free') return
  await stopOrphan(directory)
  await rm(directory, { recursive: true, force: true })
}
