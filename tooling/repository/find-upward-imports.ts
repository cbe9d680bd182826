import path from 'node:path'
import type { Faults, RepositoryFile } from './repository-file.ts'

const core = 'packages/core/src/'

/**
 * The floors of core, the lowest first. A file imports only from its own folder and from those before it. The files beside the
 * folders are the entries of the package: they import from everywhere, and nothing imports them.
 */
const floors = [
  'domain',
  'database',
  'migrations',
  'reads',
  'claims',
  'unique',
  'kinds',
  'audit',
  'access',
  'flow',
  'insight',
  'transitions',
  'enqueue',
  'schedules',
  'acts',
  'workers',
  'facade',
  'tenants',
  'transactions',
] as const

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Finds imports in core from a floor above, including those of types, and folders that are on no floor. */
export function findUpwardImports(files: readonly RepositoryFile[]): Faults {
  return files
    .filter(({ name }) => name.startsWith(core) && name.endsWith('.ts'))
    .flatMap(({ name, text }) => {
      const own = floorOf(name)
      if (own === undefined) return [`${name}: its folder is on no floor of core`]
      return [...text.matchAll(importPattern)].flatMap(([, specifier = '']) => {
        const target = path.posix.join(path.posix.dirname(name), specifier)
        const other = floorOf(target)
        return other === undefined || other <= own ? [] : [`${name}: imports ${target}, which is above it`]
      })
    })
}

/** The number of the floor of a file of core: above all of them for an entry, and undefined for a folder that is none of them. */
function floorOf(name: string): number | undefined {
  const [folder = '', file] = name.slice(core.length).split('/')
  if (file === undefined) return floors.length
  const floor = (floors as readonly string[]).indexOf(folder)
  return floor < 0 ? undefined : floor
}
