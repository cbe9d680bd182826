import path from 'node:path'
import type { Faults, RepositoryFile } from './repository-file.ts'

/** Matches the relative path of a program of another package: its main file, from its sources or built. */
const programPath = /['"`]((?:\.\.\/)+(?:apps|packages)\/[\w-]+)\/(?:src|dist)\/main\.[jt]s['"`]/g

/**
 * Finds packages that start a program of another package, although Turborepo does not build that package before their tests.
 * From its sources a program also needs what its dependencies have built, such as the dashboard's files. Such tests
 * fail from a fresh clone, unless another package happens to have built the program by then.
 */
export function findUnbuiltPrograms(files: readonly RepositoryFile[]): Faults {
  const texts = new Map(files.map(({ name, text }) => [name, text]))
  const faults = files.flatMap(({ name, text }) => {
    if (!name.endsWith('.ts')) return []
    const directory = packageOf(name, texts)
    return [...text.matchAll(programPath)].flatMap(([, link = '']) => {
      const program = path.posix.join(path.posix.dirname(name), link)
      const manifest = texts.get(`${program}/package.json`)
      if (directory === undefined || manifest === undefined || program === directory) return []
      const { name: required } = JSON.parse(manifest) as { readonly name: string }
      if (isBuiltBefore(required, directory, texts)) return []
      return [`${directory}/turbo.json: its task test depends on ${required}#build, which ${name} starts`]
    })
  })
  return [...new Set(faults)]
}

/** The folder of the package that a file belongs to. */
function packageOf(name: string, texts: ReadonlyMap<string, string>): string | undefined {
  const folder = path.posix.dirname(name)
  if (folder === '.') return undefined
  return texts.has(`${folder}/package.json`) ? folder : packageOf(folder, texts)
}

function isBuiltBefore(required: string, directory: string, texts: ReadonlyMap<string, string>): boolean {
  const { dependencies, devDependencies } = JSON.parse(texts.get(`${directory}/package.json`) ?? '{}') as {
    readonly dependencies?: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
  }
  if (required in { ...dependencies, ...devDependencies }) return true
  const { tasks } = JSON.parse(texts.get(`${directory}/turbo.json`) ?? '{}') as {
    readonly tasks?: { readonly test?: { readonly dependsOn?: readonly string[] } }
  }
  return tasks?.test?.dependsOn?.includes(`${required}#build`) === true
}
