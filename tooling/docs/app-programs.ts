import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProgramDescription } from '@queue/service'

/** A deployed process as its `--help` describes it, with its folder. */
export interface AppProgram extends ProgramDescription {
  /** Relative to the root of the repository. */
  readonly folder: string
}

const apps = ['api', 'worker', 'migrate'] as const

/** Loads the three processes from their sources. They are loaded by path, because no package may depend on an app. */
export async function loadAppPrograms(root: string): Promise<AppProgram[]> {
  return Promise.all(
    apps.map(async (app) => {
      const folder = `apps/${app}`
      const { program } = (await loadSource(root, `${folder}/src/program.ts`)) as {
        program: ProgramDescription
      }
      return { ...program, folder }
    }),
  )
}

/** Loads a module by its path relative to the root. Requires Node's condition `@queue/source`. */
export async function loadSource(root: string, name: string): Promise<unknown> {
  return import(pathToFileURL(path.join(root, name)).href)
}
