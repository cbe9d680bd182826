import { z } from 'zod'
import { deadLetterExample } from './dead-letter.ts'

/** The parameters of a dead letter's path. Text that is no id names no letter: 404. */
export const deadLetterIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'The id of the dead letter.',
    example: deadLetterExample.id,
  }),
})
