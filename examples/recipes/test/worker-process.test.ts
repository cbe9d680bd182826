import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { createTestDatabase, eventually } from '@queue/testing'
import { confirmOrder } from '../src/jobs.ts'

const root = path.join(import.meta.dirname, '..')
const database = await createTestDatabase()
const directory = await mkdtemp(path.join(tmpdir(), 'queue-recipe-'))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

interface Command {
  readonly args: readonly string[]
  readonly cwd: string
}

/** Starts the worker with only the database in its environment, enqueues a job, and stops the worker after the job's end. */
async function workAndStop({ args, cwd }: Command): Promise<void> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.urlAs('worker') }
  const child = spawn(process.execPath, [...args], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  children.push(child)
  const ended = once(child, 'exit')
  const { job } = await database.queue.enqueue(confirmOrder, { orderId: 'o1', email: 'ada@example.com' })
  const status = async () => (await database.queue.get(job.id))?.status
  await eventually(async () => (await status()) === 'succeeded')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}

test('a worker in a separate process runs jobs, and ends with exit code 0 after a SIGTERM', async () => {
  await workAndStop({ args: ['--conditions=@queue/source', 'src/worker.ts'], cwd: root })
})

/** Carries out the steps of the Dockerfile without a container engine. The installed packages are linked. */
test('the image of a worker contains all its files, and its command works', async () => {
  const text = await readFile(path.join(root, 'container', 'Dockerfile'), 'utf8')
  for (const [, files = ''] of text.matchAll(/^COPY (.*)$/gm)) {
    const sources = files.split(' ')
    const target = path.join(directory, sources.pop() ?? '.')
    await mkdir(target, { recursive: true })
    for (const source of sources.filter((name) => name !== 'package-lock.json')) {
      await cp(path.join(root, source), path.join(target, path.basename(source)))
    }
  }
  await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
  const command = JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? '[]') as string[]
  expect(command[0]).toBe('node')
  await workAndStop({ args: command.slice(1), cwd: directory })
})
