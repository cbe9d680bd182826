import type { z } from 'zod'
import { type VariableDocs, variableDocs } from './variable.ts'

/** One environment variable as the help text and the generated documentation show it. */
export interface VariableDescription extends VariableDocs {
  readonly name: string
}

/** Every variable of a configuration schema, in the order in which the schema names them. */
export function describeConfig(schema: z.ZodObject): VariableDescription[] {
  return Object.entries(schema.shape).flatMap(([name, variable]) => {
    const docs = variableDocs.get(variable as z.ZodType)
    return docs ? [{ name, ...docs }] : []
  })
}
