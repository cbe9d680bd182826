import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const program = fileURLToPath(new URL('programs/endless-loop.ts', import.meta.url))

test('a process that does not end by its own SIGKILL is ended in the middle of its endless loop', async () => {
  const child = spawn(process.execPath, ['--conditions=@queue/source', program], {
    stdio: 'ignore',
    timeout: 240_000,
    killSignal: 'SIGTERM',
  })
  expect(await once(child, 'close')).toEqual([137, null])
})
