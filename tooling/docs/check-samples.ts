import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runTool } from '../check-run/run-tool.ts'
import type { Faults } from '../repository/repository-file.ts'
import type { Sample } from './samples.ts'

/** What the project of a reader has installed, and where in this repository it is found. */
const installed = {
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
  // A sample may show a value that only the reader uses.
  noUnusedLocals: false,
}

/** What the compiler has against the samples, in the lines of their documents. */
export async function checkSamples(root: string, samples: readonly Sample[]): Promise<Faults> {
  const project = await mkdtemp(path.join(tmpdir(), 'queue-samples-'))
  try {
    for (const [name, place] of Object.entries(installed)) {
      const link = path.join(project, 'node_modules', name)
      await mkdir(path.dirname(link), { recursive: true })
      await symlink(path.join(root, place), link, 'junction')
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
