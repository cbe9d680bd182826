// The document that registers kinds: the body of POST /kinds, and a file of `queue kinds push`.
import { z } from 'zod'
import { jobFields } from '../domain/job.ts'
import { kindDefaultsSchema } from '../domain/kind-defaults.ts'
import { kindDescriptionLengthMax, registerKindsMax } from '../domain/limits.ts'
import { sensitiveSchema } from '../domain/sensitive.ts'
import type { KindRegistration } from './kind-registration.ts'

export const jsonSchemaDocument = z
  .record(z.string(), z.unknown())
  .meta({ description: 'JSON Schema 2020-12. Every `$ref` must begin with #.' })

export const kindDefaultsDocument = kindDefaultsSchema.meta({
  id: 'KindDefaults',
  description: 'Defaults for jobs of the kind. A job can override each of them.',
})

const registerKindSchema = z
  .strictObject({
    kind: jobFields.kind.meta({ description: 'Name of the kind.' }),
    version: jobFields.kindVersion.optional().meta({ description: 'Version of the kind. Defaults to 1.' }),
    payload_schema: jsonSchemaDocument,
    defaults: kindDefaultsDocument.optional(),
    description: z
      .string()
      .min(1)
      .max(kindDescriptionLengthMax)
      .optional()
      .meta({ description: 'What jobs of the kind do.' }),
    sensitive: sensitiveSchema.optional().meta({
      description:
        'JSON pointers to the sensitive values of the payload, which are masked for callers without payload:read. `*` ' +
        'matches each element. By default, the whole payload is sensitive.',
    }),
  })
  .meta({ id: 'RegisterKind', description: 'A kind version to register.' })

export const registerKindsSchema = z
  .strictObject({
    kinds: z
      .array(registerKindSchema)
      .min(1)
      .max(registerKindsMax)
      .meta({ description: 'The kind versions to register.' }),
    restore: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether schemas that were replaced earlier and kinds that were retired are restored. Do not set it in a process ' +
          'that may run an old release. Defaults to false.',
      }),
  })
  .meta({ id: 'RegisterKinds', description: 'Kind versions to register.' })

export type RegisterKindsDocument = z.output<typeof registerKindsSchema>

/** One kind of a document in the form in which it is registered. */
export function decodeRegistration(one: RegisterKindsDocument['kinds'][number]): KindRegistration {
  return {
    kind: one.kind,
    version: one.version ?? 1,
    payloadSchema: one.payload_schema as KindRegistration['payloadSchema'],
    defaults: one.defaults ?? {},
    description: one.description ?? null,
    sensitive: one.sensitive ?? null,
    unsaid: [],
  }
}
