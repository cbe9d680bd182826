import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProgramDescription } from '@queue/service'

/** A deployed process as its own `--help` presents it, and the folder that holds it. */
export interface AppProgram extends ProgramDescription {
  /** From the root of the repository. */
  readonly folder: string
}

const apps = ['api', 'worker', 'migrate'] as const

/**
 * The three processes, loaded from their sources. Nothing may depend on an app, so they are loaded by path, the way
 * their documents are read.
 */
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

/** A module of the repository by its path from the root. Node needs the condition `@queue/source` for it. */
export async function loadSource(root: string, name: string): Promise<unknown> {
  return import(pathToFileURL(path.join(root, name)).href)
}
