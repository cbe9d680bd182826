import pg from 'pg'
import { keyLog } from './key-log.ts'

/**
 * `begun` and `ended`: logged at the start and the end of the handler. `transacted`: written in the job's own transaction, so
 * it is committed together with the end of the job or not at all.
 */
export type EffectPhase = 'begun' | 'ended' | 'transacted'

/** The state of a job and of its worker at each change. `seq` orders the changes of one job. */
const auditTable = (queue: string) => `
CREATE TABLE chaos.audit (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  job_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  from_status text, to_status text,
  from_token bigint, to_token bigint,
  from_attempts integer, to_attempts integer,
  from_crashes integer, to_crashes integer,
  max_attempts integer NOT NULL,
  cancel_requested boolean NOT NULL,
  due boolean NOT NULL,
  worker_id text,
  worker_state text,
  -- When the job is due, as the change has left it; and the clock as a claim had read it.
  run_at timestamptz,
  taken_at timestamptz,
  -- When the transaction of the change began, which for one statement is when it arrived.
  began_at timestamptz NOT NULL DEFAULT now(),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);
-- By the rights of its owner: workers with a role of their own may not write here.
CREATE FUNCTION chaos.note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  owner text;
  owner_state text;
  -- Only the end of an attempt may remove a running job, and only into the archive.
  is_archived boolean := TG_OP = 'DELETE' AND OLD.status = 'running'
    AND EXISTS (SELECT FROM ${queue}.ended_jobs AS e WHERE e.id = OLD.id AND e.lease_token = OLD.lease_token);
BEGIN
  IF is_archived THEN
    NEW := OLD;
    NEW.status := 'succeeded';
  END IF;
  owner := coalesce(NEW.locked_by, OLD.locked_by);
  IF OLD.status = 'running' AND NEW.crashes > OLD.crashes THEN
    -- A worker that was marked as lost before its lease had ended was a live one.
    SELECT CASE WHEN state = 'lost' AND lease_expires_at >= now() THEN 'active' ELSE state END
      INTO owner_state FROM ${queue}.workers WHERE id = OLD.locked_by;
  END IF;
  INSERT INTO chaos.audit (job_id, from_status, to_status, from_token, to_token, from_attempts, to_attempts,
                           from_crashes, to_crashes, max_attempts, cancel_requested, due, worker_id, worker_state,
                           run_at, taken_at)
  VALUES (coalesce(NEW.id, OLD.id), OLD.status, NEW.status, OLD.lease_token, NEW.lease_token, OLD.attempts,
          NEW.attempts, OLD.crashes, NEW.crashes, coalesce(NEW.max_attempts, OLD.max_attempts),
          coalesce(OLD.cancel_requested, false), coalesce(OLD.run_at <= clock_timestamp(), true),
          owner, owner_state, NEW.run_at, CASE WHEN NEW.status = 'running' THEN NEW.locked_at END);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_insert AFTER INSERT OR DELETE ON ${queue}.jobs
  FOR EACH ROW EXECUTE FUNCTION chaos.note_job();
CREATE TRIGGER chaos_update AFTER UPDATE ON ${queue}.jobs FOR EACH ROW
  WHEN ((OLD.status, OLD.lease_token, OLD.attempts, OLD.crashes)
        IS DISTINCT FROM (NEW.status, NEW.lease_token, NEW.attempts, NEW.crashes))
  EXECUTE FUNCTION chaos.note_job();
CREATE FUNCTION chaos.note_archived_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO chaos.audit (job_id, from_status, from_token, from_attempts, from_crashes, max_attempts, cancel_requested, due)
  VALUES (OLD.id, 'succeeded', OLD.lease_token, OLD.attempts, OLD.crashes, OLD.max_attempts, OLD.cancel_requested, true);
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_archived AFTER DELETE ON ${queue}.ended_jobs FOR EACH ROW EXECUTE FUNCTION chaos.note_archived_job();
`

const effectsTable = `
CREATE TABLE chaos.effects (
  seq bigint GENERATED ALWAYS AS IDENTITY,
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  phase text NOT NULL,
  pid integer NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`

/** Without these indexes the checker would read every entry for each batch of jobs. */
const indexes = `
CREATE INDEX ON chaos.audit (job_id);
CREATE INDEX ON chaos.effects (job_id);
`

/**
 * Creates the schema `chaos` in a migrated database for the suite's own records. Handlers write `effects` with a direct
 * connection, and triggers on the jobs write `audit` and the log of unique keys, so that none depends on the records of the
 * queue.
 */
export async function installEffectLog(pool: pg.Pool, queueSchema: string): Promise<void> {
  const queue = pg.escapeIdentifier(queueSchema)
  await pool.query(`CREATE SCHEMA chaos;${effectsTable}${auditTable(queue)}${keyLog(queue)}${indexes}`)
}

/** The connection for an effect: a pool, or the transaction of a job. */
type EffectLogClient = Pick<pg.Pool, 'query'>

export interface Effect {
  readonly jobId: string
  readonly token: number
  readonly phase: EffectPhase
}

/** Writes one effect. It is durable when this resolves, or when its transaction commits. */
export async function noteEffect(client: EffectLogClient, { jobId, token, phase }: Effect): Promise<void> {
  await client.query(`INSERT INTO chaos.effects (job_id, lease_token, phase, pid) VALUES ($1, $2, $3, $4)`, [
    jobId,
    token,
    phase,
    process.pid,
  ])
}
