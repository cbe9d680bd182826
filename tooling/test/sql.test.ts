import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readRepository } from '../repository/repository-file.ts'
import { formatStatement } from '../sql/format-statement.ts'
import { findModulesWithoutFile, packages, readStatements } from '../sql/read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

describe.each(packages)('the statements of %s', (folder) => {
  test('are those in its folder sql/ (update them with pnpm sql:write)', async () => {
    const committed = (await readRepository(root))
      .filter(({ name }) => name.startsWith(`${folder}/sql/`))
      .map(({ name, text }): [string, string] => [name, text])
    const sent = await readStatements(root, folder)
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(sent))
  })

  test('include those of each module that has SQL', async () => {
    expect(await findModulesWithoutFile(root, folder)).toEqual([])
  })
})

describe('a statement in its file', () => {
  test.each([
    ['select "a" from "t" where "b" = \'x  from y\' and "c" in (select 1 from "u") on conflict do nothing'],
    ['\n    SELECT a\n      FROM t\n     WHERE b = 1'],
  ])('differs only in white space between words: %j', (text) => {
    const words = (statement: string) => statement.trim().split(/\s+/)
    expect(words(formatStatement(text))).toEqual(words(text))
  })

  test('has a line for each clause', () => {
    expect(
      formatStatement('select "j"."id" from "jobs" as "j" left join "x" on "a" = "b" where "c" = $1'),
    ).toBe('select "j"."id"\nfrom "jobs" as "j"\nleft join "x" on "a" = "b"\nwhere "c" = $1\n')
  })
})
