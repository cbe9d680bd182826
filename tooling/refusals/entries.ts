import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** An entry of a published package, by its specifier. */
export interface Entry {
  readonly specifier: string
  readonly file: string
}

/** Every entry that the manifests of the published packages export. */
export function publishedEntries(root: string): Entry[] {
  const packages = path.join(root, 'packages')
  return readdirSync(packages).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(packages, folder, 'package.json'), 'utf8')) as Manifest
    if (manifest.private === true) return []
    return Object.entries(manifest.exports ?? {}).map(([entry, targets]) => ({
      specifier: path.posix.join(manifest.name, entry),
      file: path.join(packages, folder, targets['@queue/source'] ?? ''),
    }))
  })
}

export function load({ file }: Entry): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(file).href) as Promise<Readonly<Record<string, unknown>>>
}
