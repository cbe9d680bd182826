import { lstat, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PackedPackage } from './pack-packages.ts'
import type { PublishedPackage } from './published-packages.ts'
import { unpack } from './unpack.ts'

export interface ConsumerOptions {
  /** The root of the repository. */
  readonly root: string
  readonly packages: readonly PackedPackage[]
  /** An empty folder outside of the repository, for the project. */
  readonly directory: string
  /** The folders of the installed peer dependencies, by name. */
  readonly peers: Readonly<Record<string, string>>
  /** The project's own files, by name. */
  readonly files: Readonly<Record<string, string>>
}

/**
 * Creates a project outside of the workspace in which the packages are installed as they would be published: from tarballs, with
 * their dependencies and the project's own peer dependencies. It links packages that are installed here instead of downloading
 * them, so that no registry is needed.
 */
export async function createConsumer(options: ConsumerOptions): Promise<void> {
  const { root, packages, directory, peers, files } = options
  const modules = path.join(directory, 'node_modules')
  const direct = { '@types/node': path.join(root, 'node_modules', '@types', 'node'), ...peers }
  for (const [name, folder] of Object.entries(direct)) await link(folder, path.join(modules, name))
  for (const packed of packages) {
    const target = path.join(modules, packed.name)
    await unpack(packed.tarball, target)
    for (const name of foreignDependencies(packed)) {
      const folder = path.join(root, packed.folder, 'node_modules', name)
      if (name in packed.optionalDependencies && (await doesNotExist(folder))) continue
      const top = path.join(modules, name)
      await link(folder, (await doesNotExist(top)) ? top : path.join(target, 'node_modules', name))
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

async function doesNotExist(target: string): Promise<boolean> {
  return (await lstat(target).catch(() => undefined)) === undefined
}

async function link(folder: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true })
  await symlink(folder, target, 'junction')
}
