import { execFile } from 'node:child_process'
import { cp, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { installedBinaries } from '../src/embedded/binaries.ts'
import { linkLibraries } from '../src/embedded/link-libraries.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'queue-libraries-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Copies the installed package as an installer leaves it that runs no install script. */
async function installWithoutScripts(): Promise<void> {
  const { postgres } = await installedBinaries()
  const isNoLink = async (file: string) => !(await lstat(file)).isSymbolicLink()
  await cp(path.resolve(path.dirname(postgres), '..'), path.join(folder, 'native'), {
    recursive: true,
    filter: isNoLink,
  })
}

test('the programs of a package whose install script has not run find their libraries', async () => {
  await installWithoutScripts()
  // Two processes can start a server at the same time.
  await Promise.all([linkLibraries(folder), linkLibraries(folder)])
  const initdb = path.join(folder, 'native/bin/initdb')
  const { stdout } = await promisify(execFile)(initdb, ['--version'])
  expect(stdout).toMatch(/PostgreSQL\) 18\./)
})

test('a package without a list of links is left as it is', async () => {
  await expect(linkLibraries(folder)).resolves.toBeUndefined()
})
