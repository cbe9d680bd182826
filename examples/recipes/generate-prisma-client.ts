/**
 * Generates the Prisma client of `prisma/schema.prisma`, as `prisma generate` does. That command downloads an engine for
 * migrations when it first runs, and its package is twice as large. The generator alone needs no engine.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type * as Generator from '@prisma/client-generator-ts'

const require = createRequire(import.meta.url)
// Node cannot load the ES module build of this package.
const { generateClient, getDMMF } = require('@prisma/client-generator-ts') as typeof Generator
const { version } = require('@prisma/client/package.json') as { readonly version: string }

const schemaPath = path.join(import.meta.dirname, 'prisma', 'schema.prisma')
const outputDir = path.join(import.meta.dirname, 'generated')
const datamodel = await readFile(schemaPath, 'utf8')

await generateClient({
  datamodel,
  schemaPath,
  outputDir,
  dmmf: await getDMMF({ datamodel }),
  runtimeBase: '@prisma/client/runtime',
  generator: {
    name: 'client',
    provider: { value: 'prisma-client', fromEnvVar: null },
    output: { value: outputDir, fromEnvVar: null },
    config: {},
    binaryTargets: [],
    previewFeatures: [],
    sourceFilePath: schemaPath,
  },
  datasources: [],
  binaryPaths: {},
  engineVersion: version,
  clientVersion: version,
  activeProvider: 'postgresql',
  target: 'nodejs',
  generatedFileExtension: 'ts',
  importFileExtension: 'ts',
  moduleFormat: 'esm',
  tsNoCheckPreamble: true,
  compilerBuild: 'small',
})
