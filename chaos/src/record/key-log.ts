// Records each state of each job that has a unique key, so that the holders of a key can be followed one after the other.
import type { JobStatus, UniqueScope } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import { parseSnapshot, type Snapshot } from './snapshot.ts'

/** The log, for the schema that has this quoted name. `seq` orders the states of one key. */
export const keyLog = (queue: string): string => `
CREATE TABLE chaos.key_states (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  snapshot text DEFAULT CASE WHEN current_setting('transaction_isolation') = 'read committed' THEN pg_current_snapshot()::text END,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  job_id uuid NOT NULL,
  unique_key text NOT NULL,
  unique_scope text,
  -- Null: the job was removed.
  status text,
  lease_token bigint NOT NULL,
  cancel_requested boolean NOT NULL,
  request text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  run_at timestamptz NOT NULL,
  expires_at timestamptz
);
CREATE FUNCTION chaos.note_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  job ${queue}.jobs := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  INSERT INTO chaos.key_states (job_id, unique_key, unique_scope, status, lease_token, cancel_requested, request, created_at,
                                updated_at, run_at, expires_at)
  VALUES (job.id, job.unique_key, job.unique_scope, CASE WHEN TG_OP <> 'DELETE' THEN job.status END, job.lease_token,
          job.cancel_requested, job.payload ->> 'key', job.created_at, job.updated_at, job.run_at, job.expires_at);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_key AFTER INSERT OR UPDATE ON ${queue}.jobs
  FOR EACH ROW WHEN (NEW.unique_key IS NOT NULL) EXECUTE FUNCTION chaos.note_key();
CREATE TRIGGER chaos_key_gone AFTER DELETE ON ${queue}.jobs
  FOR EACH ROW WHEN (OLD.unique_key IS NOT NULL) EXECUTE FUNCTION chaos.note_key();
`

/** A job with a unique key after one change. Instants are in milliseconds since 1970 with their fraction. */
export interface KeyState {
  readonly seq: number
  /** The transaction of the change, which has committed. */
  readonly xid: number
  /** What its statement saw; undefined for a transaction whose statements all see what its first one did. */
  readonly snapshot: Snapshot | undefined
  readonly atMs: number
  readonly jobId: string
  readonly uniqueKey: string
  readonly scope: UniqueScope | null
  /** Null: the job was removed. */
  readonly status: JobStatus | null
  readonly token: number
  readonly cancelRequested: boolean
  /** The client's own key of the request whose payload the job has. */
  readonly request: string | null
  readonly createdMs: number
  readonly updatedMs: number
  readonly runMs: number
  readonly expiresMs: number | null
}

/** Every state that was committed, in order. */
export async function readKeyStates({ pool }: Pick<TestDatabase, 'pool'>): Promise<KeyState[]> {
  const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`
  const { rows } = await pool.query<Omit<KeyState, 'snapshot'> & { readonly snapshot: string | null }>(
    `SELECT seq::float8, xid::text::float8, snapshot, ${ms('at')} AS "atMs", job_id AS "jobId", unique_key AS "uniqueKey",
            unique_scope AS scope, status, lease_token::float8 AS token, cancel_requested AS "cancelRequested", request,
            ${ms('created_at')} AS "createdMs", ${ms('updated_at')} AS "updatedMs", ${ms('run_at')} AS "runMs",
            ${ms('expires_at')} AS "expiresMs"
       FROM chaos.key_states ORDER BY seq`,
  )
  return rows.map(({ snapshot, ...state }) => ({
    ...state,
    snapshot: snapshot === null ? undefined : parseSnapshot(snapshot),
  }))
}
