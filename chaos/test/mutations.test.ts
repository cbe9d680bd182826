import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { readFunctions } from '../src/mutants/function-texts.ts'
import { idempotencyMutations } from '../src/mutants/idempotency-mutations.ts'
import { mutate, type Mutation } from '../src/mutants/mutation.ts'
import { mutations } from '../src/mutants/mutations.ts'
import { uniqueMutations } from '../src/mutants/unique-mutations.ts'

const folder = path.resolve(import.meta.dirname, '..', '..', 'packages', 'core', 'sql')

/** The functions in which defects are planted, as a migrated database has them. */
async function functionTexts(): Promise<string[]> {
  const database = await createTestDatabase()
  try {
    return await readFunctions(database)
  } finally {
    await database.close()
  }
}

test('each edit of a planted defect changes a statement that is committed, or a function of the schema', async () => {
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.sql') && !name.startsWith('schema'),
  )
  const committed = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
  const statements = [...committed, ...(await functionTexts())]
  const planted: readonly Mutation[] = [
    ...mutations,
    ...Object.values(uniqueMutations),
    ...Object.values(idempotencyMutations),
  ]
  const withoutEffect = planted.flatMap(({ name, edits }) =>
    edits
      .filter((edit) => statements.every((text) => mutate(text, [edit]) === undefined))
      .map(({ find }) => `${name}: ${find}`),
  )
  expect(withoutEffect).toEqual([])
})
