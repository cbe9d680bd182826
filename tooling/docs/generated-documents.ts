import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import type { RepositoryFile } from '../repository/repository-file.ts'
import { loadAppPrograms, loadSource } from './app-programs.ts'
import { type AccessOperation, withOperations } from './render-access.ts'
import { type HelpTexts, type PageProgram, withCommands } from './render-commands.ts'
import { renderConfiguration } from './render-configuration.ts'
import { type RoleMatrix, withPrivileges } from './render-roles.ts'
import { withSettings } from './render-settings.ts'

/** The documents with a table of a package's settings, each with the module and the export that contain the schema. */
const settings = [
  {
    name: 'packages/worker/README.md',
    module: 'packages/worker/src/options.ts',
    schema: 'workerSettingsSchema',
  },
  {
    name: 'packages/outbox/README.md',
    module: 'packages/outbox/src/worker/config.ts',
    schema: 'outboxWorkerConfigSchema',
  },
] as const

/** Generates the documents that `pnpm docs:write` writes: those that list settings, roles, operations and commands. */
export async function generatedDocuments(root: string): Promise<RepositoryFile[]> {
  const readmes = settings.map(async ({ name, module, schema }) => {
    const loaded = (await loadSource(root, module)) as Readonly<Record<string, z.ZodObject | undefined>>
    const settingsSchema = loaded[schema]
    if (settingsSchema === undefined) throw new Error(`${module} does not export ${schema}`)
    return { name, text: withSettings(await readFile(path.join(root, name), 'utf8'), settingsSchema) }
  })
  const configuration = renderConfiguration(await loadAppPrograms(root))
  return [
    { name: 'docs/configuration.md', text: configuration },
    await rolesPage(root),
    await accessDocument(root),
    ...(await commandsPages(root)),
    ...(await Promise.all(readmes)),
  ]
}

async function rolesPage(root: string): Promise<RepositoryFile> {
  const name = 'docs/roles.md'
  const loaded = await loadSource(root, 'packages/core/src/access/privilege-matrix.ts')
  const { privilegeMatrix } = loaded as { readonly privilegeMatrix: RoleMatrix }
  return { name, text: withPrivileges(await readFile(path.join(root, name), 'utf8'), privilegeMatrix) }
}

async function accessDocument(root: string): Promise<RepositoryFile> {
  const name = 'docs/access.md'
  const { operations } = (await loadSource(root, 'apps/api/src/operations/index.ts')) as {
    operations: readonly AccessOperation[]
  }
  return { name, text: withOperations(await readFile(path.join(root, name), 'utf8'), operations) }
}

/** The pages of the programs with commands, each with the module that declares its program, and the program's name there. */
const commandPages = [
  { name: 'docs/cli.md', module: 'packages/cli/src/program.ts', program: 'program' },
  { name: 'docs/migrate.md', module: 'apps/migrate/src/program.ts', program: 'commandLine' },
] as const

function commandsPages(root: string): Promise<RepositoryFile[]> {
  return Promise.all(
    commandPages.map(async ({ name, module, program }) => {
      const loaded = (await loadSource(root, module)) as Readonly<Record<string, PageProgram>>
      const texts = (await loadSource(root, 'packages/commands/src/help.ts')) as HelpTexts
      const text = await readFile(path.join(root, name), 'utf8')
      const declared = loaded[program]
      if (declared === undefined) throw new Error(`${module} does not export ${program}`)
      return { name, text: withCommands(text, { program: declared, texts }) }
    }),
  )
}
