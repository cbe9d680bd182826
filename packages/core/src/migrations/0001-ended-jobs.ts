import { smallestIdAt } from '../database/archive.ts'
import type { JobColumn } from '../database/table.ts'
import { tables } from '../database/tables.ts'
import { jobColumns } from './0001-job-columns.ts'

/**
 * The jobs that have succeeded. A job gets here in the statement that ends it, and nothing changes its row afterwards. The table is
 * cut into days of ids, so a row is found by its id alone, and claims never read it.
 *
 * There is no partition for other ids: the end of a job without a day leaves it in `jobs`.
 *
 * Each index is named by the queries that need it:
 * - ended_jobs_pkey: all_jobs; delete-jobs, prune-jobs
 * - ended_jobs_tenant_idx: list-jobs by tenant
 */
export const endedJobs = (schema: string): string[] => [
  `CREATE TABLE ${schema}.ended_jobs (
  ${jobColumns(schema)
    .filter(([name]) => constantOf(name) === undefined)
    .map(([name, type, constraint]) => `${name} ${type}${isRequired(name, constraint) ? ' NOT NULL' : ''}`)
    .join(',\n  ')},
  CONSTRAINT ended_jobs_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id)`,
  `CREATE INDEX ended_jobs_tenant_idx ON ${schema}.ended_jobs (tenant_id, id) WHERE tenant_id IS NOT NULL`,
  `CREATE TABLE ${schema}.ended_days (
  day timestamptz NOT NULL,
  below_id uuid NOT NULL,
  CONSTRAINT ended_days_pkey PRIMARY KEY (day)
)`,
  turnEndedDays(schema),
  `REVOKE ALL ON FUNCTION ${schema}.turn_ended_days() FROM PUBLIC`,
  `SELECT ${schema}.turn_ended_days()`,
]

/**
 * `archived_jobs` has the ended jobs as rows of `jobs`, and `all_jobs` both. The types of both sides are the same, domains included,
 * because otherwise PostgreSQL would sort all rows where a list needs the order of an index.
 */
export const allJobs = (schema: string): string[] => {
  const columns = jobColumns(schema)
  return [
    `CREATE VIEW ${schema}.archived_jobs AS
  SELECT ${columns.map(([name, type]) => archivedValue(name, type)).join(', ')} FROM ${schema}.ended_jobs`,
    `CREATE VIEW ${schema}.all_jobs AS
  SELECT ${columns.map(([name]) => name).join(', ')} FROM ${schema}.jobs
   UNION ALL
  SELECT * FROM ${schema}.archived_jobs`,
  ]
}

export const dropAllJobs = (schema: string): string[] => [
  `DROP VIEW ${schema}.all_jobs`,
  `DROP VIEW ${schema}.archived_jobs`,
]

export const dropEndedJobs = (schema: string): string => `DROP FUNCTION ${schema}.turn_ended_days()`

/** Days that are made ahead, so that an end finds its day although nobody has made one for a week. */
const daysAhead = 7

const leafOf = (day: string): string => `'ended_jobs_' || to_char(${day} AT TIME ZONE 'UTC', 'YYYYMMDD')`

/**
 * Makes the days from yesterday up to a week from now that do not exist, and drops those of the past that hold nothing any more. It
 * takes no argument, and runs as the owner of the tables, who owns the leaves.
 *
 * A leaf is made beside the table and attached, which waits for nobody and holds up nobody. The drop of one locks the whole table: it
 * is done at a moment when nobody uses that, and otherwise left for later. No end writes to a day before yesterday.
 */
const turnEndedDays = (schema: string): string => `CREATE FUNCTION ${schema}.turn_ended_days() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  today timestamptz := date_trunc('day', clock_timestamp(), 'UTC');
  this_day timestamptz;
  from_id uuid;
  below_id uuid;
  leaf text;
BEGIN
  LOCK TABLE ${schema}.ended_days IN SHARE ROW EXCLUSIVE MODE;
  this_day := greatest((SELECT max(d.day) + interval '24 hours' FROM ${schema}.ended_days AS d), today - interval '24 hours');
  WHILE this_day <= today + interval '${daysAhead * 24} hours' LOOP
    from_id := ${smallestIdAt('this_day')};
    below_id := ${smallestIdAt(`(this_day + interval '24 hours')`)};
    leaf := ${leafOf('this_day')};
    EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.ended_jobs INCLUDING ALL)', leaf);
    EXECUTE format('ALTER TABLE ${schema}.ended_jobs ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)', leaf, from_id, below_id);
    INSERT INTO ${schema}.ended_days (day, below_id) VALUES (this_day, below_id);
    this_day := this_day + interval '24 hours';
  END LOOP;
  FOR this_day, leaf IN
    SELECT d.day, ${leafOf('d.day')} FROM ${schema}.ended_days AS d WHERE d.day < today - interval '24 hours' ORDER BY d.day
  LOOP
    CONTINUE WHEN pg_relation_size(format('${schema}.%I', leaf)) > 0;
    BEGIN
      LOCK TABLE ${schema}.ended_jobs IN ACCESS EXCLUSIVE MODE NOWAIT;
    EXCEPTION WHEN lock_not_available THEN
      RETURN;
    END;
    CONTINUE WHEN pg_relation_size(format('${schema}.%I', leaf)) > 0;
    EXECUTE format('DROP TABLE ${schema}.%I', leaf);
    DELETE FROM ${schema}.ended_days AS d WHERE d.day = this_day;
  END LOOP;
END $function$`

/** What a column is in every ended job; undefined where the job's own value is kept. */
function constantOf(name: string): JobColumn['whenArchived'] {
  return (tables.jobs.columns as Readonly<Record<string, JobColumn>>)[name]?.whenArchived
}

function isRequired(name: string, constraint = ''): boolean {
  return constraint.startsWith('NOT NULL') || name === 'finished_at'
}

function archivedValue(name: string, type: string): string {
  const constant = constantOf(name)
  if (constant === undefined) return name
  return `${constant === null ? 'NULL' : `'${constant}'`}::${type} AS ${name}`
}
