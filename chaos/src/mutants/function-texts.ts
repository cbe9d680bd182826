import type { TestDatabase } from '@queue/testing'

/** The beginning of the text of a function of the schema. An edit within it is made in the database before the cases run. */
export const claimLanesName = 'FUNCTION queue.claim_lanes('
export const enqueueName = 'FUNCTION queue.enqueue('

export const functionNames: readonly string[] = [claimLanesName, enqueueName]

/** The statements that create these functions, without comments, so that runs of white space can be replaced by one blank. */
export async function readFunctions({ pool }: Pick<TestDatabase, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc AS p
      WHERE p.proname IN ('claim_lanes', 'enqueue') AND p.pronamespace = 'queue'::regnamespace`,
  )
  return rows.map(({ text }) => text.replaceAll(/--.*$/gm, ''))
}
