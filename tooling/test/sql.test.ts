import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readRepository } from '../repository/repository-file.ts'
import { formatDefinition, formatStatement } from '../sql/format-statement.ts'
import { findModulesWithoutFile, packages, readSql } from '../sql/read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

const words = (text: string) => text.trim().split(/\s+/)

describe.each(packages)('the SQL of %s', (folder) => {
  test('is what its folder sql/ contains (update it with pnpm sql:write)', async () => {
    const committed = (await readRepository(root))
      .filter(({ name }) => name.startsWith(`${folder}/sql/`))
      .map(({ name, text }): [string, string] => [name, text])
    const texts = await readSql(root, folder)
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(texts))
  })

  test('includes the statements of each module that has SQL', async () => {
    expect(await findModulesWithoutFile(root, folder)).toEqual([])
  })
})

describe('a statement in its file', () => {
  test.each([
    ['select "a" from "t" where "b" = \'x  from y\' and "c" in (select 1 from "u") on conflict do nothing'],
    ['\n    SELECT a\n      FROM t\n     WHERE b = 1'],
  ])('differs only in white space between words: %j', (text) => {
    expect(words(formatStatement(text))).toEqual(words(text))
  })

  test('has a line for each clause', () => {
    expect(
      formatStatement('select "j"."id" from "jobs" as "j" left join "x" on "a" = "b" where "c" = $1'),
    ).toBe('select "j"."id"\nfrom "jobs" as "j"\nleft join "x" on "a" = "b"\nwhere "c" = $1\n')
  })
})

describe('a definition in its file', () => {
  const code = `  IF a = 'it -- is no comment' THEN ${'x := x + 1; '.repeat(12)}`

  test('keeps its lines, and differs only in white space where one is long', () => {
    const text = `CREATE FUNCTION f()\n${code}\n  END IF`
    const formatted = formatDefinition(text)
    expect(words(formatted)).toEqual(words(`${text};`))
    expect(formatted.split('\n').filter((line) => line.length > 120)).toEqual([])
    expect(formatted).toMatch(/^CREATE FUNCTION f\(\)\n[^]*\n {2}END IF;\n$/)
  })

  test('has the comment at the end of a long line above it', () => {
    const [comment, ...lines] = formatDefinition(`${code} -- It's why.`).split('\n')
    expect(comment).toBe("-- It's why.")
    expect(lines.join(' ')).not.toContain('why')
  })
})
