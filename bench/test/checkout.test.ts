import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@queue/dev-postgres'
import { checkOut, findAdapter, isChanged, resolveCommit } from '../src/compare/checkout.ts'

const run = promisify(execFile)

let folder: string
/** A repository whose install needs nothing from a registry. */
let root: string
/** The folder in which checkouts are created, to check that they leave nothing. */
let within: string
const onStep = (): void => undefined

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'queue-checkout-'))
  root = path.join(folder, 'repository')
  within = path.join(folder, 'checkouts')
  await Promise.all([mkdir(root), mkdir(within)])
  await git('init', '--quiet')
  await git('config', 'user.name', 'A test')
  await git('config', 'user.email', 'test@example.com')
})
afterEach(() => rm(folder, { recursive: true }))

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: root })
  return stdout
}

/** Commits a tree whose `build` runs this script. */
async function commit(subject: string, script: string): Promise<void> {
  const manifest = { name: 'tiny', private: true, scripts: { build: 'node build.mjs' } }
  await writeFile(path.join(root, 'package.json'), JSON.stringify(manifest))
  await writeFile(path.join(root, 'pnpm-workspace.yaml'), 'pmOnFail: ignore\n')
  await writeFile(path.join(root, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n")
  await writeFile(path.join(root, 'build.mjs'), script)
  await git('add', '.')
  await git('commit', '--quiet', '--message', subject)
}

async function expectNothingLeft(): Promise<void> {
  expect(await readdir(within)).toEqual([])
  expect((await git('worktree', 'list')).trim().split('\n')).toHaveLength(1)
}

const builds = (revision: string): string =>
  `import { writeFileSync } from 'node:fs'; writeFileSync('built', '${revision}')`

test('a commit is built in a folder that is removed afterwards', async () => {
  await commit('first', builds('first'))
  await commit('second', builds('second'))
  const first = await resolveCommit(root, 'HEAD~1')
  expect(first.subject).toBe('first')
  const checkout = await checkOut({ root, commit: first, within, onStep })
  expect(await readFile(path.join(checkout.directory, 'built'), 'utf8')).toBe('first')
  expect(await isChanged(root)).toBe(false)
  await checkout.remove()
  await expectNothingLeft()
})

test('a build that fails is an error with the end of its output, and leaves nothing', async () => {
  await commit('broken', "console.error('there is no such type'); process.exit(3)")
  const broken = await resolveCommit(root, 'HEAD')
  await expect(checkOut({ root, commit: broken, within, onStep })).rejects.toThrow(
    /run build failed: [\s\S]*there is no such type/,
  )
  await expectNothingLeft()
})

test('a build that is aborted ends with all its processes, and leaves nothing', async () => {
  const pidFile = path.join(folder, 'pid')
  await commit(
    'endless',
    `import { renameSync, writeFileSync } from 'node:fs'
       writeFileSync('${pidFile}.tmp', String(process.pid))
       renameSync('${pidFile}.tmp', '${pidFile}')
       setInterval(() => undefined, 1_000)`,
  )
  const endless = await resolveCommit(root, 'HEAD')
  const stopped = new AbortController()
  const building = checkOut({ root, commit: endless, within, onStep, signal: stopped.signal })
  const failure = expect(building).rejects.toThrow('enough')
  const pid = Number(await untilExists(pidFile))
  stopped.abort(new Error('enough'))
  await failure
  await untilGone(pid)
  await expectNothingLeft()
})

test('an unknown commit is refused, and so is one from before the benchmark', async () => {
  await commit('first', builds('first'))
  await expect(resolveCommit(root, 'no-such-branch')).rejects.toThrow(
    'this repository has no commit "no-such-branch": pass a hash, a branch or a tag',
  )
  await expect(resolveCommit(root, '--all')).rejects.toThrow('this repository has no commit "--all"')
  await expect(findAdapter(root, await resolveCommit(root, 'HEAD'))).rejects.toThrow(
    'has no bench/src/contenders/ours.ts: it is older than the benchmark',
  )
})

test('the adapter of a commit is found', async () => {
  await mkdir(path.join(root, 'bench/src/contenders'), { recursive: true })
  await writeFile(path.join(root, 'bench/src/contenders/ours.ts'), 'export const ours = {}')
  await commit('first', builds('first'))
  expect(await findAdapter(root, await resolveCommit(root, 'HEAD'))).toBe('bench/src/contenders/ours.ts')
})

async function untilExists(file: string): Promise<string> {
  return eventually(() => readFile(file, 'utf8').catch(() => undefined))
}

async function untilGone(pid: number): Promise<void> {
  await eventually(() => {
    try {
      process.kill(pid, 0)
      return false
    } catch {
      return true
    }
  })
}
