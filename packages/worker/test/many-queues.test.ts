import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import { useWorld } from './support/world.ts'

const world = useWorld()
const program = fileURLToPath(new URL('programs/many-queues-program.ts', import.meta.url))

interface RetainedMemory {
  readonly claims: number
  readonly keptBytes: number
}

async function measureRetained(queues: number): Promise<RetainedMemory> {
  const flags = ['--expose-gc', '--conditions=@queue/source']
  const env = { DATABASE_URL: world.database.urlAs('worker') }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, String(queues)], { env })
  return JSON.parse(stdout) as RetainedMemory
}

test('each of the maximum number of queues of a worker takes only some kilobytes of memory', async () => {
  const few = await measureRetained(1)
  const many = await measureRetained(limits.workerQueuesMax)
  expect(many.claims).toBeGreaterThan(50)
  const eachBytes = (many.keptBytes - few.keptBytes) / limits.workerQueuesMax
  expect(eachBytes).toBeLessThan(8_000)
})
