import type { JsonValue } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import pg from 'pg'

/** A row of `jobs` or `dead_letter_jobs` as JSON, with instants as texts. */
export type Row = Readonly<
  Record<string, JsonValue> &
    Record<'id' | 'job_id' | 'status' | 'created_at' | 'dead_lettered_at' | 'updated_at' | 'run_at', string> &
    Record<'finished_at' | 'expires_at' | 'unique_scope' | 'idempotency_key', string | null>
>

/** One change of a row of `jobs` or `dead_letter_jobs`, in the order of the changes of each row. */
export interface RowChange {
  readonly xid: number
  readonly at: Date
  /** The act of the session that made the change. */
  readonly act: string
  readonly table: 'jobs' | 'dead_letter_jobs'
  readonly id: string
  /** Null: the change has inserted the row. */
  readonly before: Row | null
  /** Null: the change has removed the row. */
  readonly after: Row | null
  /** What names the causes of the job's failed attempts, as of this change. */
  readonly fingerprints: readonly string[]
}

/** Names the act whose changes the session is about to make. */
export const nameAct = `SELECT set_config('chaos.act', $1, false), pg_current_snapshot()::text AS snapshot`

const changesTable = (queue: string): string => `
CREATE TABLE chaos.row_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  act text NOT NULL DEFAULT coalesce(current_setting('chaos.act', true), ''),
  of_table text NOT NULL,
  id uuid NOT NULL,
  before jsonb,
  after jsonb,
  fingerprints text[] NOT NULL
);
CREATE FUNCTION chaos.note_row_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  job uuid := coalesce(to_jsonb(NEW) ->> 'job_id', to_jsonb(OLD) ->> 'job_id', to_jsonb(NEW) ->> 'id', to_jsonb(OLD) ->> 'id');
  before jsonb := to_jsonb(OLD);
  after jsonb := to_jsonb(NEW);
BEGIN
  -- A job that succeeds may leave its table: that is one change, and its removal from the archive is another.
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'jobs' THEN
    after := (SELECT to_jsonb(a) FROM ${queue}.all_jobs AS a WHERE a.id = OLD.id);
  ELSIF TG_TABLE_NAME LIKE 'ended_jobs%' THEN
    before := to_jsonb(jsonb_populate_record(NULL::${queue}.jobs, before || '{"status": "succeeded"}'));
  END IF;
  INSERT INTO chaos.row_changes (of_table, id, before, after, fingerprints)
  VALUES (regexp_replace(TG_TABLE_NAME, '^ended_jobs.*', 'jobs'), coalesce(NEW.id, OLD.id), before, after,
          -- Of a receipt they are being removed.
          CASE WHEN after ->> 'stripped_at' IS NULL THEN ARRAY(SELECT DISTINCT x.fingerprint FROM ${queue}.job_executions AS x WHERE x.job_id = job AND x.fingerprint IS NOT NULL) ELSE '{}' END);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_row_change AFTER INSERT OR UPDATE OR DELETE ON ${queue}.jobs
  FOR EACH ROW EXECUTE FUNCTION chaos.note_row_change();
CREATE TRIGGER chaos_row_change AFTER DELETE ON ${queue}.ended_jobs
  FOR EACH ROW EXECUTE FUNCTION chaos.note_row_change();
CREATE TRIGGER chaos_row_change AFTER INSERT OR UPDATE OR DELETE ON ${queue}.dead_letter_jobs
  FOR EACH ROW EXECUTE FUNCTION chaos.note_row_change();
`

/** Installs triggers that record each change of a job and of a dead letter with the act that made it. */
export async function installRowChanges({ pool, schema }: TestDatabase): Promise<void> {
  await pool.query(changesTable(pg.escapeIdentifier(schema)))
}

/** Reads all changes that were committed, and forgets them. */
export async function takeRowChanges({ pool }: TestDatabase): Promise<RowChange[]> {
  const { rows } = await pool.query<RowChange>(
    `WITH taken AS (DELETE FROM chaos.row_changes RETURNING *)
     SELECT xid::text::float8 AS xid, at, act, of_table AS table, id, before, after, fingerprints FROM taken ORDER BY seq`,
  )
  return rows
}
