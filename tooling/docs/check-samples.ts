import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runTool } from '../check-run/run-tool.ts'
import type { Faults } from '../repository/repository-file.ts'
import type { Sample } from './samples.ts'

/** The packages that the samples may import, with their folders in this repository. */
const dependencies = {
  '@queue/client': 'packages/client',
  '@queue/core': 'packages/core',
  '@queue/executor': 'packages/executor',
  '@queue/handlers': 'packages/handlers',
  '@queue/outbox': 'packages/outbox',
  '@queue/test-database': 'packages/test-database',
  '@queue/testing': 'packages/testing',
  '@queue/worker': 'packages/worker',
  '@jest/globals': 'node_modules/@jest/globals',
  '@types/node': 'node_modules/@types/node',
  '@types/pg': 'packages/core/node_modules/@types/pg',
  kysely: 'packages/core/node_modules/kysely',
  pg: 'packages/core/node_modules/pg',
  zod: 'packages/core/node_modules/zod',
} as const

const compilerOptions = {
  noEmit: true,
  composite: false,
  declaration: false,
  declarationMap: false,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: false,
  customConditions: ['@queue/source'],
  // A sample may declare a value that it does not use.
  noUnusedLocals: false,
}

/** Compiles the samples. Returns the compiler's errors, with the line numbers of the documents. */
export async function checkSamples(root: string, samples: readonly Sample[]): Promise<Faults> {
  const project = await mkdtemp(path.join(tmpdir(), 'queue-samples-'))
  try {
    for (const [name, source] of Object.entries(dependencies)) {
      const link = path.join(project, 'node_modules', name)
      await mkdir(path.dirname(link), { recursive: true })
      await symlink(path.join(root, source), link, 'junction')
    }
    for (const sample of samples) {
      const file = path.join(project, sample.document, sample.file)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, sample.text)
    }
    await writeFile(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }))
    const extended = path.join(root, 'tsconfig.base.json')
    const tsconfig = { extends: extended, compilerOptions, include: ['**/*.ts'] }
    await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
    const { passed, output } = await runTool({ directory: project, tool: 'tsc', args: ['--pretty', 'false'] })
    return passed ? [] : output.trim().split('\n')
  } finally {
    await rm(project, { recursive: true, force: true })
  }
}
