import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { explainMissingThread, threadFile } from '../src/index.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'queue-thread-file-'))
  for (const file of ['thread.ts', 'thread.mjs']) await writeFile(path.join(directory, file), '')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const urlOf = (file: string) => pathToFileURL(path.join(directory, file)).href

test.each(['ts', 'mjs'])('the file of a thread has the extension of the code: .%s', (extension) => {
  expect(threadFile('thread', urlOf(`code.${extension}`))?.href).toBe(urlOf(`thread.${extension}`))
})

test('a file of another extension, and one in another folder, are not the file of the thread', () => {
  expect(threadFile('thread', urlOf('code.js'))).toBeUndefined()
  expect(threadFile('thread', urlOf('deeper/code.mjs'))).toBeUndefined()
})

test('an error of a missing file names the entry that a bundle needs', () => {
  const missing = Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' })
  expect(explainMissingThread(missing, '@queue/worker/lease-thread')).toMatchObject({
    message: expect.stringMatching(/@queue\/worker\/lease-thread.*docs\/bundling.md/),
    cause: missing,
  })
  const other = new Error('no memory')
  expect(explainMissingThread(other, '@queue/worker/lease-thread')).toBe(other)
})
