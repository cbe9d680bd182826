import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runTool as runAt } from '../check-run/run-tool.ts'
import { readRepository } from '../repository/repository-file.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')

describe('node_modules of a package', () => {
  /** The path to which Node resolves a module from a folder, or the code of the error. */
  async function resolveFrom(folder: string, specifier: string): Promise<string> {
    const directory = path.join(repository, folder)
    const script = `try { console.log(require.resolve('${specifier}')) } catch (error) { console.log(error.code) }`
    const { output } = await runAt({ directory, tool: 'node', args: ['--input-type=commonjs', '-e', script] })
    return output.trim()
  }

  test('hold what it declares', async () => {
    expect(await resolveFrom('packages/core', 'kysely')).toContain('kysely')
  })

  test.each([
    ['packages/executor', 'winston'],
    ['packages/telemetry', '@queue/core'],
    ['packages/core', '@queue/worker'],
  ])('of %s do not hold %s, which it does not declare', async (folder, specifier) => {
    expect(await resolveFrom(folder, specifier)).toBe('MODULE_NOT_FOUND')
  })

  test.each(['@queue/core/dist/queue.js', '@queue/core/src/queue.ts', '@queue/core/package.json'])(
    'give nothing inside a package that it does not export: %s',
    async (specifier) => {
      expect(await resolveFrom('packages/worker', specifier)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
    },
  )
})

describe('in a copy of the workspace', () => {
  let copy: string

  beforeAll(async () => {
    copy = await mkdtemp(path.join(tmpdir(), 'layering-'))
  })

  /** Copies the configuration of the repository and of its packages. */
  beforeEach(async () => {
    await rm(copy, { recursive: true, force: true })
    const shared = [
      'turbo.json',
      'tsconfig.base.json',
      '.oxlintrc.json',
      'pnpm-workspace.yaml',
      'pnpm-lock.yaml',
    ]
    for (const { name } of await readRepository(repository)) {
      const isConfiguration = /(?:^|\/)(?:package|turbo|tsconfig\.build)\.json$/.test(name)
      if (isConfiguration || shared.includes(name))
        await cp(path.join(repository, name), path.join(copy, name))
    }
  })

  afterAll(async () => {
    await rm(copy, { recursive: true, force: true })
  })

  async function write(file: string, text: string): Promise<void> {
    const target = path.join(copy, file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, text)
  }

  const run = (tool: string, ...args: string[]) => runAt({ directory: copy, tool, args })

  describe('turbo boundaries', () => {
    test('passes on what is allowed', async () => {
      await write(
        'packages/executor/src/index.ts',
        "import { limits } from '@queue/core'\nexport default limits\n",
      )
      expect(await run('turbo', 'boundaries')).toMatchObject({ passed: true })
    })

    test('fails on an import of a package that is not declared', async () => {
      await write(
        'packages/telemetry/src/index.ts',
        "import { limits } from '@queue/core'\nexport default limits\n",
      )
      const { passed, output } = await run('turbo', 'boundaries')
      expect(passed).toBe(false)
      expect(output).toContain('`@queue/core` because it is not a dependency')
    })

    test('fails on a path into another package', async () => {
      await write('packages/core/src/facade/queue.ts', 'export const queue = 1\n')
      await write('packages/executor/src/index.ts', "export { queue } from '../../core/src/queue.ts'\n")
      const { passed, output } = await run('turbo', 'boundaries')
      expect(passed).toBe(false)
      expect(output).toContain('leaves the package')
    })
  })

  test('tsc -b fails on a path into another package', async () => {
    await write('packages/core/src/index.ts', 'export const queue = 1\n')
    await write('packages/telemetry/src/index.ts', "export { queue } from '../../core/src/index.ts'\n")
    const types = ['--types', '', '--noEmit', 'false']
    const { passed, output } = await run('tsc', '-p', 'packages/telemetry/tsconfig.build.json', ...types)
    expect(passed).toBe(false)
    expect(output).toMatch(/TS6059|TS6307|TS2878/)
  })

  describe('oxlint', () => {
    const lint = (file: string) => run('oxlint', '-c', '.oxlintrc.json', '--deny-warnings', file)

    test('passes on a domain file that knows zod and the domain', async () => {
      const file = 'packages/core/src/domain/sound.ts'
      await write(
        file,
        "import { z } from 'zod'\nimport { one } from './one.ts'\nexport const two = z.literal(one)\n",
      )
      expect(await lint(file)).toMatchObject({ passed: true })
    })

    test.each([
      ['domain', "import { sql } from 'kysely'\nexport const x = sql\n", 'no-restricted-imports'],
      ['domain', "import { x } from '../database/connect.ts'\nexport const y = x\n", 'no-restricted-imports'],
      [
        'domain',
        "import { setTimeout as x } from 'node:timers'\nexport const y = x\n",
        'no-restricted-imports',
      ],
      [
        'reads',
        "import { x } from '../migrations/0001-initial.ts'\nexport const y = x\n",
        'no-restricted-imports',
      ],
      ['transitions', 'export const x = Date.now()\n', 'no-restricted-properties'],
      ['reads', 'export const x = Math.random()\n', 'no-restricted-properties'],
      ['migrations', "export const x = process.env['X']\n", 'no-restricted-properties'],
      ['workers', 'export const x = () => setTimeout(() => undefined, 1)\n', 'no-restricted-globals'],
    ])('fails in core/src/%s on %j', async (folder, text, rule) => {
      const file = `packages/core/src/${folder}/violation.ts`
      await write(file, text)
      const { passed, output } = await lint(file)
      expect(passed).toBe(false)
      expect(output).toContain(rule)
    })

    test('fails on a circle of files, even if it is closed by a type', async () => {
      await write(
        'packages/core/src/reads/one.ts',
        "import { two } from './two.ts'\nexport const one = two\n",
      )
      await write(
        'packages/core/src/reads/two.ts',
        "import type { one } from './one.ts'\nexport const two: typeof one | number = 2\n",
      )
      const { passed, output } = await lint('packages/core/src/reads')
      expect(passed).toBe(false)
      expect(output).toContain('no-cycle')
    })

    test.each(['@queue/core', '@queue/core/internal', 'node:fs'])(
      'fails in the dashboard on %s',
      async (name) => {
        const file = 'apps/dashboard/src/violation.ts'
        await write(file, `import { x } from '${name}'\nexport const y = x\n`)
        const { passed, output } = await lint(file)
        expect(passed).toBe(false)
        expect(output).toContain('no-restricted-imports')
      },
    )
  })
})
