import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readRepository } from '../repository/repository-file.ts'
import { formatStatement } from '../sql/format-statement.ts'
import { findModulesWithoutFile, packages, readStatements } from '../sql/read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

describe.each(packages)('the statements of %s', (folder) => {
  test('are what its folder sql/ says: run pnpm sql:write, and read the difference', async () => {
    const committed = (await readRepository(root))
      .filter(({ name }) => name.startsWith(`${folder}/sql/`))
      .map(({ name, text }): [string, string] => [name, text])
    const sent = await readStatements(root, folder)
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(sent))
  })

  test('are there for each module that has SQL', async () => {
    expect(await findModulesWithoutFile(root, folder)).toEqual([])
  })
})

describe('a statement in its file', () => {
  test.each([
    ['select "a" from "t" where "b" = \'x  from y\' and "c" in (select 1 from "u") on conflict do nothing'],
    ['\n    SELECT a\n      FROM t\n     WHERE b = 1'],
  ])('differs in white space between words alone: %j', (text) => {
    const words = (of: string) => of.trim().split(/\s+/)
    expect(words(formatStatement(text))).toEqual(words(text))
  })

  test('begins a line with each clause', () => {
    expect(
      formatStatement('select "j"."id" from "jobs" as "j" left join "x" on "a" = "b" where "c" = $1'),
    ).toBe('select "j"."id"\nfrom "jobs" as "j"\nleft join "x" on "a" = "b"\nwhere "c" = $1\n')
  })
})
