import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { programFile, programsVariable } from '../src/program-file.ts'

const main = new URL('programs/main.ts', import.meta.url)
const variableBefore = process.env[programsVariable]
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-programs-'))
  await mkdir(path.join(directory, 'packages/dev-postgres/test/programs'), { recursive: true })
  process.env[programsVariable] = directory
})

afterEach(async () => {
  if (variableBefore === undefined) delete process.env[programsVariable]
  else process.env[programsVariable] = variableBefore
  await rm(directory, { recursive: true, force: true })
})

test('a program is started from its bundle if the run has created one', async () => {
  const bundle = path.join(directory, 'packages/dev-postgres/test/programs/main.js')
  await writeFile(bundle, '')
  expect(programFile(main)).toBe(bundle)
})

test('it is started from its main file if there is no bundle', () => {
  expect(programFile(main)).toBe(fileURLToPath(main))
  delete process.env[programsVariable]
  expect(programFile(main)).toBe(fileURLToPath(main))
})
