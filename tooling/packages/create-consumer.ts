import { lstat, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PackedPackage } from './pack-packages.ts'
import type { PublishedPackage } from './published-packages.ts'
import { unpack } from './unpack.ts'

export interface ConsumerOptions {
  /** The root of the repository. */
  readonly root: string
  readonly packages: readonly PackedPackage[]
  /** An empty folder outside of it, for the project. */
  readonly directory: string
  /** What the project has chosen of each peer, by its name: the folder of an installed package. */
  readonly peers: Readonly<Record<string, string>>
  /** The project's own files, by name. */
  readonly files: Readonly<Record<string, string>>
}

/**
 * Makes a project outside of the workspace that has installed our packages as they would be published: from tarballs,
 * with their dependencies beside them and its own choice of their peers. It is what an installer would lay out, made
 * of what is installed here, so that no registry is needed.
 */
export async function createConsumer(options: ConsumerOptions): Promise<void> {
  const { root, packages, directory, peers, files } = options
  const modules = path.join(directory, 'node_modules')
  const own = { '@types/node': path.join(root, 'node_modules', '@types', 'node'), ...peers }
  for (const [name, folder] of Object.entries(own)) await link(folder, path.join(modules, name))
  for (const one of packages) {
    const place = path.join(modules, one.name)
    await unpack(one.tarball, place)
    for (const name of foreignDependencies(one)) {
      const folder = path.join(root, one.folder, 'node_modules', name)
      if (name in one.optionalDependencies && (await isFree(folder))) continue
      const top = path.join(modules, name)
      await link(folder, (await isFree(top)) ? top : path.join(place, 'node_modules', name))
    }
  }
  const manifest = JSON.stringify({ name: 'consumer', type: 'module', private: true })
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files })) {
    await writeFile(path.join(directory, name), text)
  }
}

function foreignDependencies({ dependencies, optionalDependencies }: PublishedPackage): string[] {
  const needed = { ...dependencies, ...optionalDependencies }
  return Object.keys(needed).filter((name) => !name.startsWith('@queue/'))
}

async function isFree(place: string): Promise<boolean> {
  return (await lstat(place).catch(() => undefined)) === undefined
}

async function link(folder: string, place: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true })
  await symlink(folder, place, 'junction')
}
