import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { mutate } from '../src/mutants/mutation.ts'
import { mutations } from '../src/mutants/mutations.ts'

const folder = path.resolve(import.meta.dirname, '..', '..', 'packages', 'core', 'sql')

test('each edit of a planted defect changes a statement that is committed', async () => {
  const files = await readdir(folder)
  const statements = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
  const idle = mutations.flatMap(({ name, edits }) =>
    edits
      .filter((edit) => statements.every((text) => mutate(text, [edit]) === undefined))
      .map(({ find }) => `${name}: ${find}`),
  )
  expect(idle).toEqual([])
})
