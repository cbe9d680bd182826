import type { TestDatabase } from '@queue/testing'

/** Begins the text of the function. An edit within it is made in the database, before the cases are played. */
export const claimLanesName = 'FUNCTION queue.claim_lanes('

/** The statement that makes the function as it is, without its comments: white space may then be taken for one blank. */
export async function readClaimLanes({ pool }: Pick<TestDatabase, 'pool'>): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc AS p
      WHERE p.proname = 'claim_lanes' AND p.pronamespace = 'queue'::regnamespace`,
  )
  return (rows[0]?.text ?? '').replaceAll(/--.*$/gm, '')
}
