import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import { readClaimLanes } from '../src/mutants/claim-lanes-text.ts'
import { mutate } from '../src/mutants/mutation.ts'
import { mutations } from '../src/mutants/mutations.ts'

const folder = path.resolve(import.meta.dirname, '..', '..', 'packages', 'core', 'sql')

/** The function that claims jobs with a key, as a migrated database has it. */
async function claimLanesText(): Promise<string> {
  const database = await createTestDatabase()
  try {
    return await readClaimLanes(database)
  } finally {
    await database.close()
  }
}

test('each edit of a planted defect changes a statement that is committed, or the claim of lanes', async () => {
  const files = await readdir(folder)
  const committed = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
  const statements = [...committed, await claimLanesText()]
  const idle = mutations.flatMap(({ name, edits }) =>
    edits
      .filter((edit) => statements.every((text) => mutate(text, [edit]) === undefined))
      .map(({ find }) => `${name}: ${find}`),
  )
  expect(idle).toEqual([])
})
