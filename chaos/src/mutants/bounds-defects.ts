import type { Mutation } from './mutation.ts'
import type { SourceDefect } from './source-defect.ts'

/** A defect of the API: it goes on to the left of what is no address. */
export const believesForged: SourceDefect = {
  name: 'what a client has written before an unknown address is believed',
  edits: [
    {
      module: 'apps/api/src/trusted-proxies.ts',
      find: 'if (caller === undefined) break',
      replace: 'if (caller === undefined) { rest = comma < 0 ? undefined : rest.slice(0, comma); continue }',
    },
  ],
}

/** A defect of the statement that polls, where bounds are its conditions: each stays, but is always true. */
export const pollsBeyondBounds: Mutation = {
  name: 'a wait polls the states of jobs beyond its bounds',
  edits: [
    { within: 'AS "progressMessage"', find: '"j"."tenant_id" = $2', replace: '$2::text IS NOT NULL' },
    {
      within: 'AS "progressMessage"',
      find: '"j"."queue" = ANY($2::text[])',
      replace: '$2::text[] IS NOT NULL',
    },
  ],
  detectedBy: 'wrong answer',
}
