import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bundlePrograms } from '../test-run/bundle-programs.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-bundles-'))
  await bundlePrograms(directory)
})

afterAll(() => rm(directory, { recursive: true, force: true }))

test.each(['api', 'migrate', 'worker'])(
  'the bundle of %s prints the version and the settings of the program',
  async (app) => {
    const main = path.join(directory, 'apps', app, 'src/main.js')
    const run = async (flag: string) => (await promisify(execFile)(process.execPath, [main, flag])).stdout
    const manifest = JSON.parse(await readFile(path.join(root, 'apps', app, 'package.json'), 'utf8'))
    expect((await run('--version')).trim()).toBe(manifest.version)
    expect(await run('--help')).toContain('DATABASE_URL')
  },
)

test('the threads of a program are bundled into the same folder', () => {
  for (const thread of ['service/src/ops-thread/ops-thread', 'worker/src/lease-thread/lease-thread'])
    expect(existsSync(path.join(directory, 'packages', `${thread}.js`))).toBe(true)
})
