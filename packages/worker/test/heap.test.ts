import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { useWorld } from './support/world.ts'

const world = useWorld()
const program = fileURLToPath(new URL('programs/heap-program.ts', import.meta.url))

/**
 * A function that is written in the assignment to a field is an old object from the start, and keeps what it refers to
 * (docs/decisions/0041). With one such function for each attempt it is 1 080 bytes for a job and more, with none of them 160 in most
 * processes and up to 620 in some.
 */
test('what a job was made of is gone with the next collection of young objects', async () => {
  // Optimized code may do without those functions, and nobody knows when V8 has made it.
  const flags = ['--no-opt', '--no-maglev', '--conditions=@queue/source']
  const enough = 800
  const env = { DATABASE_URL: world.database.urlAs('worker') }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, `${enough}`], { env })
  expect(Number(stdout)).toBeLessThan(enough)
})
