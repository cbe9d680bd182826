import { readFile, symlink } from 'node:fs/promises'
import path from 'node:path'

/** A link that a package of binaries needs. Both paths are relative to the folder of the package. */
interface LibraryLink {
  /** The file. */
  readonly source: string
  /** The link to it. */
  readonly target: string
}

/**
 * Creates the links to libraries that the package of binaries in `folder` lists. An npm package cannot contain links, so its install
 * script creates them, which Yarn and Bun do not run and pnpm runs only if it is allowed. A link that exists stays, and in a folder
 * that this account cannot change nothing is created.
 */
export async function linkLibraries(folder: string): Promise<void> {
  for (const { source, target } of await linksOf(folder)) {
    const link = path.join(folder, target)
    await symlink(path.relative(path.dirname(target), source), link).catch(ignoreExpected)
  }
}

/** Distributions of some platforms have no links. */
async function linksOf(folder: string): Promise<readonly LibraryLink[]> {
  const list = path.join(folder, 'native/pg-symlinks.json')
  const text = await readFile(list, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]'
    throw error
  })
  return JSON.parse(text) as readonly LibraryLink[]
}

function ignoreExpected(error: NodeJS.ErrnoException): void {
  if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error
}
