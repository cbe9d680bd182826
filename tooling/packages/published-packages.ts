import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** A published package of this repository. */
export interface PublishedPackage {
  readonly name: string
  readonly version: string
  /** Relative to the root of the repository. */
  readonly folder: string
  /** Whether it exports modules. A program does not. */
  readonly isLibrary: boolean
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

type Manifest = Partial<Omit<PublishedPackage, 'folder' | 'isLibrary'>> & {
  readonly private?: boolean
  readonly exports?: unknown
}

/** The packages that `pnpm publish -r` would publish: those that are not private. */
export async function publishedPackages(root: string): Promise<PublishedPackage[]> {
  const packages: PublishedPackage[] = []
  for (const group of ['packages', 'apps']) {
    for (const name of await readdir(path.join(root, group))) {
      const folder = path.join(group, name)
      const manifest = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8')) as Manifest
      if (manifest.private === true) continue
      const { name: packageName = '', version = '' } = manifest
      const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest
      const dependencyLists = { dependencies, optionalDependencies, peerDependencies }
      const isLibrary = manifest.exports !== undefined
      packages.push({ name: packageName, version, folder, isLibrary, ...dependencyLists })
    }
  }
  return packages
}
