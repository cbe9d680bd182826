import type { TestDatabase } from '@queue/testing'
import { type Mutation, mutate } from './mutation.ts'

/** The beginning of the text of a function of the schema. An edit within it is made in the database. */
export const claimLanesName = 'FUNCTION queue.claim_lanes('
export const enqueueName = 'FUNCTION queue.enqueue('
export const enqueueJobsName = 'FUNCTION queue.enqueue_jobs('
export const changeWaitingName = 'FUNCTION queue.change_waiting('

const functionNames: readonly string[] = [claimLanesName, enqueueName, enqueueJobsName, changeWaitingName]

/** The statements that create these functions, without comments, so that runs of white space can be replaced by one blank. */
export async function readFunctions({ pool }: Pick<TestDatabase, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc AS p
      WHERE p.proname IN ('claim_lanes', 'enqueue', 'enqueue_jobs', 'change_waiting') AND p.pronamespace = 'queue'::regnamespace`,
  )
  return rows.map(({ text }) => text.replaceAll(/--.*$/gm, ''))
}

/** Alters the functions of the schema, which are not sent as statements. Resolves with their texts before. */
export async function plantInFunctions(
  database: Pick<TestDatabase, 'pool'>,
  mutation: Mutation | undefined,
): Promise<{ readonly texts: readonly string[]; readonly altered: number }> {
  const texts = await readFunctions(database)
  const edits = (mutation?.edits ?? []).filter(({ within }) => functionNames.includes(within ?? ''))
  const altered = texts.map((text) => mutate(text, edits)).filter((text) => text !== undefined)
  for (const text of altered) await database.pool.query(text)
  return { texts, altered: altered.length }
}
