import type { KindInfo, RegisteredKind } from '@queue/core'
import { instantOutput, jobFields, jsonSchemaDocument, kindDefaultsDocument } from '@queue/core/internal'
import { z } from 'zod'

export const registeredKindsSchema = z
  .object({
    data: z
      .array(
        z.object({
          kind: jobFields.kind.meta({ description: 'Name of the kind.' }),
          version: jobFields.kindVersion.meta({ description: 'Version of the kind.' }),
          outcome: z.enum(['new', 'unchanged', 'replaced', 'kept']).meta({
            description:
              '`new`: registered for the first time. `unchanged`: the same schema was registered. `replaced`: this schema ' +
              'replaced another one. `kept`: a newer schema had replaced this one before, and was kept.',
          }),
          changed_paths: z
            .array(z.string())
            .meta({ description: 'JSON pointers to the first 20 differences between the schemas.' }),
        }),
      )
      .meta({ description: 'The outcomes, in the order of the request.' }),
  })
  .meta({ id: 'RegisteredKinds', description: 'The outcome of a registration.' })

export function encodeRegistered({ kind, version, outcome, changedPaths }: RegisteredKind) {
  if (outcome === 'refused') throw new Error('a refused registration is an error')
  return { kind, version, outcome, changed_paths: [...changedPaths] }
}

const source = z.enum(['built_in', 'registered']).meta({
  description:
    '`built_in`: the API was started with it. `registered`: a worker, a command or POST /kinds registered it.',
})

const kindSummarySchema = z
  .object({
    kind: jobFields.kind.meta({ description: 'Name of the kind.' }),
    description: z.string().nullable().meta({ description: 'Description of the newest version.' }),
    versions: z.array(jobFields.kindVersion).meta({ description: 'Versions of the kind, newest first.' }),
    source,
    retired_at: instantOutput.nullable().meta({
      description:
        'Time when the kind was retired: since then, no jobs of it are accepted. Null if it was not retired.',
    }),
  })
  .meta({ id: 'KindSummary', description: 'A job kind with the numbers of its versions.' })

export const kindListSchema = z
  .object({ data: z.array(kindSummarySchema).meta({ description: 'The kinds, sorted by name.' }) })
  .meta({ id: 'KindList', description: 'All job kinds.' })

export const kindSchema = z
  .object({
    kind: jobFields.kind.meta({ description: 'Name of the kind.' }),
    versions: z
      .array(
        z.object({
          version: jobFields.kindVersion.meta({ description: 'Version of the kind.' }),
          source,
          payload_schema: jsonSchemaDocument,
          defaults: kindDefaultsDocument,
          description: z.string().nullable().meta({ description: 'What jobs of the kind do.' }),
          sensitive: z.array(z.string()).nullable().meta({
            description:
              'JSON pointers to the sensitive values of the payload. Null means the whole payload.',
          }),
          live_workers: z.int().min(0).meta({ description: 'Number of live workers that run this version.' }),
          registered_by: z
            .string()
            .nullable()
            .meta({ description: 'Who registered this version. Null if it is built in.' }),
          registered_at: instantOutput
            .nullable()
            .meta({ description: 'Time when this version was first registered. Null if it is built in.' }),
          last_seen_at: instantOutput
            .nullable()
            .meta({ description: 'Hour of the last registration. Null if it is built in.' }),
          retired_at: instantOutput.nullable().meta({
            description:
              'Time when this version was retired: since then, no jobs of it are accepted. Null if it was not retired.',
          }),
        }),
      )
      .meta({ description: 'The versions, newest first.' }),
  })
  .meta({ id: 'Kind', description: 'A job kind with its versions.' })

/** One kind version, built in or registered. */
export type KnownVersion = Omit<KindInfo, 'digest' | 'registeredBy' | 'registeredAt' | 'lastSeenAt'> &
  Partial<Pick<KindInfo, 'registeredBy' | 'registeredAt' | 'lastSeenAt'>>

/** Encodes the versions of one kind, newest first, as a summary. */
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

/** The path parameter of a kind. An invalid name is answered with 404, since no kind has it. */
export const kindParameters = z.object({
  kind: z.string().meta({ description: 'Name of the kind.', example: registerKindExample.kind }),
})
