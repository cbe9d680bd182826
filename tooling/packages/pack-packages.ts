import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runTool } from '../check-run/run-tool.ts'
import type { ReleaseSettings } from '../release/release-settings.ts'
import { type PublishedPackage, publishedPackages } from './published-packages.ts'
import { removeOrphans } from './remove-orphans.ts'
import { ownScope, renameScope, renameScopeIn } from './rename-scope.ts'
import { unpack } from './unpack.ts'

export interface PackedPackage extends PublishedPackage {
  /** Its name in the repository, by which the other packages of the repository depend on it. */
  readonly ownName: string
  /** The path of its tarball. */
  readonly tarball: string
}

/** What is not as in the repository. */
export interface PackChanges extends Partial<Pick<ReleaseSettings, 'scope' | 'publishConfig'>> {
  /** The address of the repository, which a registry compares with the provenance. */
  readonly repository?: string | undefined
}

/**
 * Packs every published package into the folder `destination`, as it is published. The packages must be built. The changes are made
 * in the tarballs, and not in the work tree.
 */
export async function packPackages(
  root: string,
  destination: string,
  changes: PackChanges = {},
): Promise<PackedPackage[]> {
  const packages = await publishedPackages(root)
  for (const { folder } of packages) await removeOrphans(path.join(root, folder))
  const work = await mkdtemp(path.join(destination, 'pack-'))
  try {
    return await Promise.all(
      packages.map((published) => pack({ root, published, work, destination }, changes)),
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

interface PackWork {
  readonly root: string
  readonly published: PublishedPackage
  /** An empty folder, which all packages share. */
  readonly work: string
  readonly destination: string
}

/**
 * pnpm packs the folder, which writes versions for `workspace:*`, and then once more the changed content of that tarball. Where
 * nothing changes, the first one is enough.
 */
async function pack(packWork: PackWork, changes: PackChanges): Promise<PackedPackage> {
  const { root, published, work, destination } = packWork
  const { scope = ownScope } = changes
  const packed = path.join(work, tarballOf(published))
  await packFolder(path.join(root, published.folder), work)
  if (scope === ownScope && changes.publishConfig === undefined && changes.repository === undefined) {
    const tarball = path.join(destination, tarballOf(published))
    await rename(packed, tarball)
    return { ...published, ownName: published.name, tarball }
  }
  const content = path.join(work, path.basename(published.folder))
  await unpack(packed, content)
  await renameScopeIn(content, scope)
  await completeManifest(content, published, changes)
  await packFolder(content, destination)
  const renamed = { ...published, name: renameScope(published.name, scope) }
  return { ...renamed, ownName: published.name, tarball: path.join(destination, tarballOf(renamed)) }
}

async function packFolder(directory: string, destination: string): Promise<void> {
  const args = ['pack', '--pack-destination', destination]
  const { passed, output } = await runTool({ directory, tool: 'pnpm', args })
  if (!passed) throw new Error(`cannot pack ${directory}:\n${output}`)
}

const tarballOf = ({ name, version }: PublishedPackage): string =>
  `${name.replace('@', '').replace('/', '-')}-${version}.tgz`

async function completeManifest(
  content: string,
  { folder }: PublishedPackage,
  { publishConfig, repository }: PackChanges,
): Promise<void> {
  const file = path.join(content, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as object
  const origin = repository === undefined ? {} : { repository: repositoryOf(repository, folder) }
  const complete = { ...manifest, ...origin, ...(publishConfig === undefined ? {} : { publishConfig }) }
  await writeFile(file, `${JSON.stringify(complete, null, 2)}\n`)
}

const repositoryOf = (repository: string, folder: string) => ({
  type: 'git',
  url: `git+${repository}.git`,
  directory: folder.replaceAll(path.sep, '/'),
})
