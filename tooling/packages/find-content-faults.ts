import path from 'node:path'
import type { Faults, RepositoryFile } from '../repository/repository-file.ts'

/** What a package carries that is of no use to whoever installs it. */
export function findContentFaults(files: readonly RepositoryFile[]): Faults {
  const names = new Set(files.map(({ name }) => name))
  return files.flatMap(({ name, text }) => {
    if (name.endsWith('.tsbuildinfo')) return [`${name}: only the compiler of this repository reads it`]
    if (/(?:^|\/)test\//.test(name)) return [`${name}: tests are not shipped`]
    if (!name.endsWith('.map')) return []
    const { sources } = JSON.parse(text) as { readonly sources: readonly string[] }
    const absent = sources.filter((source) => !names.has(path.posix.join(path.posix.dirname(name), source)))
    return absent.map((source) => `${name}: maps to ${source}, which is not in the package`)
  })
}
