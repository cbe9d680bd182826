import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runScript } from './support/run-script.ts'

const folder = path.resolve(import.meta.dirname, '..')
const bin = (name: string): string => path.join(folder, 'node_modules', '.bin', name)

/** The pnpm that runs this script; without one, that which npx finds. */
function pnpmCommand(execPath = ''): [string, ...string[]] {
  if (!path.basename(execPath).startsWith('pnpm')) return ['npx', '-y', 'pnpm@12']
  return /\.[cm]?js$/.test(execPath) ? [process.execPath, execPath] : [execPath]
}

describe('the package as it would be published', () => {
  let place: string
  let tarball: string

  beforeAll(async () => {
    place = await mkdtemp(path.join(tmpdir(), 'queue-client-'))
    const [program, ...first] = pnpmCommand(process.env['npm_execpath'])
    const args = [...first, 'pack', '--pack-destination', place, '--json']
    const { output, errors } = await runScript(program, args, folder)
    tarball = path.join(place, 'queue-client-0.1.0.tgz')
    expect({ output, errors }).toMatchObject({ output: expect.stringContaining('queue-client-0.1.0.tgz') })
  }, 120_000)

  afterAll(() => rm(place, { recursive: true, force: true }))

  test('has exports and files that fit each other (publint)', async () => {
    const { code, output, errors } = await runScript(bin('publint'), [tarball, '--strict'], folder)
    expect({ code, text: output + errors }).toMatchObject({ code: 0 })
  })

  test('has types that every ESM importer resolves (attw)', async () => {
    const args = [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii']
    const { code, output, errors } = await runScript(bin('attw'), args, folder)
    expect({ code, text: output + errors }).toMatchObject({ code: 0 })
  })
})
