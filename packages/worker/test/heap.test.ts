import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { useWorld } from './support/world.ts'

const world = useWorld()
const program = fileURLToPath(new URL('programs/heap-program.ts', import.meta.url))

/**
 * V8 allocates a function that is created in the assignment to a field among its old objects, which keeps everything that it
 * refers to (docs/decisions/0041). With one such function per attempt, a job leaves 1 080 bytes or more; without them, 160 bytes
 * in most processes and up to 620 in some.
 */
test('the objects of a job are freed by the next collection of young objects', async () => {
  // Optimized code may not create those functions, and the time at which V8 optimizes is not known.
  const flags = ['--no-opt', '--no-maglev', '--conditions=@queue/source']
  const enough = 800
  const env = { DATABASE_URL: world.database.urlAs('worker') }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, `${enough}`], { env })
  expect(Number(stdout)).toBeLessThan(enough)
})
