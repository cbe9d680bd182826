import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Removes the compiled files of a package whose source no longer exists. Neither the compiler nor the build cache removes them
 * when a source is renamed, so they would be published.
 */
export async function removeOrphans(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  const entries = await readdir(dist, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries.filter((item) => item.isFile())) {
    const file = path.join(entry.parentPath, entry.name)
    const compiled = /^(?<name>.+?)\.(?:js|d\.ts)(?:\.map)?$/.exec(path.relative(dist, file))?.groups
    if (compiled === undefined) continue
    const source = path.join(folder, 'src', `${compiled['name']}.ts`)
    if ((await stat(source).catch(() => undefined)) === undefined) await rm(file)
  }
}
