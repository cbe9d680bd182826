import path from 'node:path'
import type { Faults, RepositoryFile } from '../repository/repository-file.ts'

/** Finds files of a package that are useless to those who install it, and whether its licence is missing. */
export function findContentFaults(files: readonly RepositoryFile[]): Faults {
  const names = new Set(files.map(({ name }) => name))
  const unlicensed = names.has('LICENSE') ? [] : ['the package has no LICENSE']
  const useless = files.flatMap(({ name, text }) => {
    if (name.endsWith('.tsbuildinfo'))
      return [`${name}: this file is used only by the compiler of this repository`]
    if (/(?:^|\/)test\//.test(name)) return [`${name}: tests must not be published`]
    if (!name.endsWith('.map')) return []
    const { sources } = JSON.parse(text) as { readonly sources: readonly string[] }
    const missing = sources.filter((source) => !names.has(path.posix.join(path.posix.dirname(name), source)))
    return missing.map((source) => `${name}: refers to the source ${source}, which is not in the package`)
  })
  return [...unlicensed, ...useless]
}
