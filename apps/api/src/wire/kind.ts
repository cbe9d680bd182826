import { type KindInfo, limits, type RegisteredKind } from '@queue/core'
import { jobFields, kindDefaultsSchema, sensitiveSchema } from '@queue/core/fields'
import { z } from 'zod'
import { anyJson, instantOutput } from './values.ts'

const jsonSchema = z
  .record(z.string(), anyJson)
  .meta({ description: 'JSON Schema 2020-12. References begin with #.' })

const kindDefaults = kindDefaultsSchema.meta({
  id: 'KindDefaults',
  description: 'What its jobs take where they say nothing themselves.',
})

/** A version of a kind, as a client registers it. */
const registerKindSchema = z
  .strictObject({
    kind: jobFields.kind.meta({ description: 'The name of the kind.' }),
    version: jobFields.kindVersion.optional().meta({ description: 'Absent: 1.' }),
    payload_schema: jsonSchema,
    defaults: kindDefaults.optional(),
    description: z
      .string()
      .min(1)
      .max(limits.kindDescriptionLengthMax)
      .optional()
      .meta({ description: 'What its jobs are for.' }),
    sensitive: sensitiveSchema.optional().meta({
      description:
        'JSON pointers to what of the payload is hidden from callers without payload:read; `*` stands for each element. ' +
        'Absent: all of it.',
    }),
  })
  .meta({ id: 'RegisterKind' })

export const registerKindsSchema = z
  .strictObject({
    kinds: z
      .array(registerKindSchema)
      .min(1)
      .max(limits.registerKindsMax)
      .meta({ description: 'The versions of kinds.' }),
    restore: z.boolean().optional().meta({
      description:
        'true: what was replaced or retired before comes back too. A process that may be an old release must not say so.',
    }),
  })
  .meta({ id: 'RegisterKinds' })

export const registeredKindsSchema = z
  .object({
    data: z.array(
      z.object({
        kind: jobFields.kind,
        version: jobFields.kindVersion,
        outcome: z.enum(['new', 'unchanged', 'replaced', 'kept']).meta({
          description: 'kept: something newer had replaced it before, and the registry stays as it was.',
        }),
        changed_paths: z
          .array(z.string())
          .meta({ description: 'JSON pointers to where the schemas differ, at most 20.' }),
      }),
    ),
  })
  .meta({ id: 'RegisteredKinds' })

export function encodeRegistered({ kind, version, outcome, changedPaths }: RegisteredKind) {
  if (outcome === 'refused') throw new Error('a refused registration is an error')
  return { kind, version, outcome, changed_paths: [...changedPaths] }
}

const source = z.enum(['built_in', 'registered']).meta({
  description: 'built_in: the API was started with it. registered: by a worker, a command, or POST /kinds.',
})

const kindSummarySchema = z
  .object({
    kind: jobFields.kind,
    description: z.string().nullable().meta({ description: 'Of the newest version.' }),
    versions: z.array(jobFields.kindVersion).meta({ description: 'The newest first.' }),
    source,
    retired_at: instantOutput.nullable().meta({ description: 'Since when no further jobs of it are taken.' }),
  })
  .meta({ id: 'KindSummary' })

export const kindListSchema = z.object({ data: z.array(kindSummarySchema) }).meta({ id: 'KindList' })

export const kindSchema = z
  .object({
    kind: jobFields.kind,
    versions: z
      .array(
        z.object({
          version: jobFields.kindVersion,
          source,
          payload_schema: jsonSchema,
          defaults: kindDefaults,
          description: z.string().nullable(),
          sensitive: z.array(z.string()).nullable().meta({ description: 'JSON pointers; null: everything.' }),
          live_workers: z.int().min(0).meta({ description: 'How many live workers run it.' }),
          registered_by: z.string().nullable(),
          registered_at: instantOutput.nullable(),
          last_seen_at: instantOutput
            .nullable()
            .meta({ description: 'When it was last registered; to the hour.' }),
          retired_at: instantOutput
            .nullable()
            .meta({ description: 'Since when no further jobs of it are taken.' }),
        }),
      )
      .meta({ description: 'The newest first.' }),
  })
  .meta({ id: 'Kind', description: 'A kind of job, with its versions.' })

/** What is known of one version, wherever it comes from. */
export type KnownVersion = Omit<KindInfo, 'registeredBy' | 'registeredAt' | 'lastSeenAt'> &
  Partial<Pick<KindInfo, 'registeredBy' | 'registeredAt' | 'lastSeenAt'>>

/** The versions of one kind, the newest first, as a summary. */
export function encodeKindSummary(kind: string, versions: readonly KnownVersion[]) {
  const [newest] = versions
  return {
    kind,
    description: newest?.description ?? null,
    versions: versions.map(({ version }) => version),
    source: sourceOf(newest),
    retired_at: newest?.retiredAt?.toISOString() ?? null,
  }
}

export function encodeKindVersion(known: KnownVersion, liveWorkers: number) {
  return {
    version: known.version,
    source: sourceOf(known),
    payload_schema: { ...known.payloadSchema },
    defaults: known.defaults,
    description: known.description,
    sensitive: known.sensitive === null ? null : [...known.sensitive],
    live_workers: liveWorkers,
    registered_by: known.registeredBy ?? null,
    registered_at: known.registeredAt?.toISOString() ?? null,
    last_seen_at: known.lastSeenAt?.toISOString() ?? null,
    retired_at: known.retiredAt?.toISOString() ?? null,
  }
}

function sourceOf(known: KnownVersion | undefined): 'built_in' | 'registered' {
  return known?.registeredAt === undefined ? 'built_in' : 'registered'
}

export const registerKindExample = {
  kind: 'send_invoice',
  version: 1,
  payload_schema: {
    type: 'object',
    properties: { invoice_id: { type: 'string' }, email: { type: 'string' } },
    required: ['invoice_id', 'email'],
    additionalProperties: false,
  },
  description: 'Sends an invoice by mail.',
  sensitive: ['/email'],
}

/** The parameters of a kind's path. Text that is no name names no kind: 404. */
export const kindParameters = z.object({
  kind: z.string().meta({ description: 'The name of the kind.', example: registerKindExample.kind }),
})
