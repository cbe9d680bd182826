import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * The packages that an installer adds for the package in `folder`, itself included, as `name@version`. Optional peers are not among
 * them, and neither are optional dependencies of other platforms. Each dependency must be installed here.
 */
export async function installedWith(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const visit = async (directory: string): Promise<void> => {
    const manifest = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as Manifest
    const name = `${manifest.name}@${manifest.version}`
    if (found.has(name)) return
    found.add(name)
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
    const peers = Object.keys(peerDependencies).filter(
      (peer) => peerDependenciesMeta[peer]?.optional !== true,
    )
    for (const needed of [...Object.keys(dependencies), ...peers])
      await visit(await locate(needed, directory))
    for (const optional of Object.keys(manifest.optionalDependencies ?? {})) {
      const location = await locate(optional, directory).catch(() => undefined)
      if (location !== undefined) await visit(location)
    }
  }
  await visit(await realpath(folder))
  return found
}

/** The real folder of a package as code in `directory` finds it. */
async function locate(name: string, directory: string): Promise<string> {
  for (let parent = directory; ; parent = path.dirname(parent)) {
    const location = await realpath(path.join(parent, 'node_modules', name)).catch(() => undefined)
    if (location !== undefined) return location
    if (parent === path.dirname(parent)) throw new Error(`${name} is not installed for ${directory}`)
  }
}
