import { expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { compile } from '../src/statements/session.ts'
import { template } from '../src/statements/template.ts'

const text = (statement: ReturnType<typeof sql>): string => compile(statement).sql

test.each([
  ['SELECT unnest($1::text[]), now()', 'SELECT pg_catalog.unnest($1::text[]), pg_catalog.now()'],
  [`SELECT left(name, 3), 'it''s left(1)'`, `SELECT pg_catalog.left(name, 3), 'it''s left(1)'`],
  ['SELECT coalesce(max(n), 0) FROM "count"("x")', 'SELECT coalesce(pg_catalog.max(n), 0) FROM "count"("x")'],
  ['SELECT queue.strip_jobs($1), "a"."max"(1)', 'SELECT queue.strip_jobs($1), "a"."max"(1)'],
  [
    'SELECT FROM unnest(f($1, 2)) AS a, unnest($1::int[], $2::int[]) AS b (x, y)',
    'SELECT FROM pg_catalog.unnest(pg_catalog.f($1, 2)) AS a, unnest($1::int[], $2::int[]) AS b (x, y)',
  ],
  [
    `SELECT unnest('{1,2}'::smallint[]), unnest(ARRAY[1, 2]), unnest("a,b"), unnest('{1}'::int[], b)`,
    `SELECT pg_catalog.unnest('{1,2}'::smallint[]), pg_catalog.unnest(ARRAY[1, 2]), pg_catalog.unnest("a,b"), unnest('{1}'::int[], b)`,
  ],
  // A backslash ends nothing and escapes nothing, but in a literal that says so.
  [
    String.raw`SELECT '\', left(name, 1), 'left(\'`,
    String.raw`SELECT '\', pg_catalog.left(name, 1), 'left(\'`,
  ],
  [
    String.raw`SELECT E'\', left(1)', left(name, 1), type'\'`,
    String.raw`SELECT E'\', left(1)', pg_catalog.left(name, 1), type'\'`,
  ],
  ['SELECT pg_catalog.now()', 'SELECT pg_catalog.now()'],
  // These bind as `OPERATOR(…)` does. Those of comparisons and arithmetic do not.
  [
    `SELECT a || 'b || c' || d, -1 - 2 -- a || b`,
    `SELECT a OPERATOR(pg_catalog.||) 'b || c' OPERATOR(pg_catalog.||) d, -1 - 2 -- a || b`,
  ],
  [
    `SELECT o->>'n', o #>> '{}', a && b AND a @> b AND o ? 'n' AND n & 4 <> 0`,
    `SELECT o OPERATOR(pg_catalog.->>)'n', o OPERATOR(pg_catalog.#>>) '{}', a OPERATOR(pg_catalog.&&) b AND ` +
      `a OPERATOR(pg_catalog.@>) b AND o OPERATOR(pg_catalog.?) 'n' AND n OPERATOR(pg_catalog.&) 4 <> 0`,
  ],
  ['SELECT a OPERATOR(pg_catalog.||) b', 'SELECT a OPERATOR(pg_catalog.||) b'],
  ['SELECT x = any(array[1]), extract(day from x)', 'SELECT x = any(array[1]), extract(day from x)'],
])('a statement names the schema of the functions and operators of PostgreSQL: %s', (written, sent) => {
  expect(text(sql.raw(written))).toBe(sent)
})

test('so does a statement whose text is built once', () => {
  const statement = template<number, unknown>((given) => sql`SELECT abs(${given((input) => input)})`)
  expect(compile(statement(-1))).toMatchObject({ sql: 'SELECT pg_catalog.abs($1)', parameters: [-1] })
})
