import nodeModule from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type JobDefinition, QueueError } from '@queue/core'

/**
 * The definitions that a module exports, alone or in arrays. The module is a path relative to the working directory
 * (`./kinds.js`) or a package. Throws `invalid_options` if the module cannot be loaded, or exports no definition.
 */
export async function loadDefinitions(name: string): Promise<readonly JobDefinition[]> {
  const subject = `the module ${JSON.stringify(name)}`
  const exported = await importFrom(process.cwd(), name).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new QueueError('invalid_options', `${subject} cannot be loaded: ${reason}`)
  })
  const definitions = [...new Set(Object.values(exported).flat().filter(isDefinition))]
  if (definitions.length > 0) return definitions
  throw new QueueError('invalid_options', `${subject} exports no definition made by defineJob`)
}

async function importFrom(folder: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const isPath = name.startsWith('.') || path.isAbsolute(name)
  const file = isPath
    ? path.resolve(folder, name)
    : nodeModule.createRequire(path.join(folder, 'index.js')).resolve(name)
  // A bundler that looked for this file would warn that it cannot know its name.
  const module: Readonly<Record<string, unknown>> = await import(
    /* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(file).href
  )
  // The default export of a CommonJS module contains its named exports.
  const { default: defaultExport } = module
  return typeof defaultExport === 'object' && defaultExport !== null
    ? { ...defaultExport, ...module }
    : module
}

function isDefinition(value: unknown): value is JobDefinition {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['kind', 'version', 'payload', 'create', 'upgrade'].every((member) => member in value)
  )
}
