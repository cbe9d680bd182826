import path from 'node:path'
import { runTool } from '../check-run/run-tool.ts'
import { type PublishedPackage, publishedPackages } from './published-packages.ts'
import { removeOrphans } from './remove-orphans.ts'

export interface PackedPackage extends PublishedPackage {
  /** The path of its tarball. */
  readonly tarball: string
}

/** Packs every published package as `pnpm publish` would. The packages must be built. */
export async function packPackages(root: string, destination: string): Promise<PackedPackage[]> {
  const packages = await publishedPackages(root)
  for (const { folder } of packages) await removeOrphans(path.join(root, folder))
  return Promise.all(
    packages.map(async (published) => ({ ...published, tarball: await pack(root, published, destination) })),
  )
}

async function pack(
  root: string,
  { name, version, folder }: PublishedPackage,
  destination: string,
): Promise<string> {
  const { passed, output } = await runTool({
    directory: path.join(root, folder),
    tool: 'pnpm',
    args: ['pack', '--pack-destination', destination],
  })
  if (!passed) throw new Error(`cannot pack ${name}:\n${output}`)
  return path.join(destination, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
}
