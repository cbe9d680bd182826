/** `pnpm docs:write`: writes docs/configuration.md from the configuration schemas of the three processes. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { loadAppPrograms } from './app-programs.ts'
import { renderConfiguration } from './render-configuration.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

await writeFile(path.join(root, 'docs', 'configuration.md'), renderConfiguration(await loadAppPrograms(root)))
