/**
 * What one column of the busiest tables may hold. A check of a table is parsed, planned and compiled again by every
 * statement that writes a row, even if the statement does not write that column: fourteen checks took 45 of the 65 µs
 * of an update by primary key. The check of a domain is cached by each connection, and only an assigned value pays for
 * it. A condition on two columns has to stay a check of its table.
 *
 * Adding a column of such a type later makes PostgreSQL rewrite the table: add it with the underlying type.
 */
const domainsOf: Readonly<Record<string, readonly [type: string, check: string]>> = {
  non_empty_text: ['text', `VALUE <> ''`],
  short_key: ['text', 'char_length(VALUE) BETWEEN 1 AND 255'],
  count_integer: ['integer', 'VALUE >= 0'],
  count_smallint: ['smallint', 'VALUE >= 0'],
  count_bigint: ['bigint', 'VALUE >= 0'],
  positive_integer: ['integer', 'VALUE >= 1'],
  percentage: ['smallint', 'VALUE BETWEEN 0 AND 100'],
  job_priority: ['smallint', 'VALUE BETWEEN 0 AND 9'],
  later_kind_version: ['smallint', 'VALUE > 1'],
  greater_job_weight: ['integer', 'VALUE BETWEEN 2 AND 1000000'],
  /** Null hides the whole payload, so no stored list holds the empty pointer. */
  sensitive_parts: ['text[]', `array_position(VALUE, '') IS NULL AND cardinality(VALUE) <= 200`],
  only_true: ['boolean', 'VALUE'],
  limit_scope: ['text', `VALUE IN ('queue', 'kind', 'key', 'each_key', 'tenant')`],
  attempt_outcome: ['text', `VALUE IN ('succeeded', 'failed', 'lost', 'snoozed', 'released', 'cancelled')`],
}

export const domains = (schema: string): string[] =>
  Object.entries(domainsOf).map(
    ([name, [type, check]]) =>
      `CREATE DOMAIN ${schema}.${name} AS ${type} CONSTRAINT ${name}_check CHECK (${check})`,
  )

export const dropDomains = (schema: string): string[] =>
  Object.keys(domainsOf).map((name) => `DROP DOMAIN ${schema}.${name}`)
