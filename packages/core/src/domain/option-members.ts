// The options of a job in the names of documents from outside, and of the answers of the API: derived from their table.
import type { z } from 'zod'
import {
  type JobOptionName,
  type JobOptionPlace,
  jobOptions,
  type OptionIn,
  type OptionSchema,
  optionsIn,
  type OptionsIn,
} from './job-options.ts'
import { type SnakeCase, toSnakeCase } from './names.ts'
import { decodeRetryPolicy, retryPolicyWireSchema } from './retry.ts'
import { decodeUnique, uniqueDocument } from './unique-document.ts'
import { instantInput, instantOutput, metadataMeta } from './wire-values.ts'

/** The options whose values the wire writes in another way than the library. */
const requestSchemas = {
  runAt: instantInput,
  expiresAt: instantInput,
  unique: uniqueDocument,
  retryPolicy: retryPolicyWireSchema.meta({
    id: 'RetryPolicy',
    description: jobOptions.retryPolicy.texts.enqueue,
  }),
}
const previousSchemas = { runAt: instantOutput }

/** What JSON Schema cannot learn from the schema of an option. */
const requestMeta: { readonly [Name in JobOptionName]?: object } = {
  runAt: { type: 'string', format: 'date-time' },
  expiresAt: { type: 'string', format: 'date-time' },
  metadata: metadataMeta,
}

type WireSchemas<Place> = Place extends 'previous' ? typeof previousSchemas : typeof requestSchemas

type WireSchema<
  Place extends JobOptionPlace,
  Name extends JobOptionName,
> = Name extends keyof WireSchemas<Place>
  ? Extract<WireSchemas<Place>[Name], z.ZodType>
  : OptionSchema<Place, Name>

/** The members of a schema that has the options of a place, with their descriptions. */
export type OptionMembers<Place extends JobOptionPlace> = {
  readonly [Name in OptionIn<Place> as SnakeCase<Name>]: z.ZodOptional<WireSchema<Place, Name>>
}

export function optionMembers<Place extends JobOptionPlace>(place: Place): OptionMembers<Place> {
  const names = optionsIn(place) as readonly JobOptionName[]
  return Object.fromEntries(names.map((name) => [toSnakeCase(name), memberSchema(place, name)])) as never
}

function memberSchema(place: JobOptionPlace, name: JobOptionName): z.ZodType {
  const {
    schema,
    edit,
    texts,
  }: { schema: z.ZodType; edit: z.ZodType; texts: { [Of in JobOptionPlace]?: string } } = jobOptions[name]
  const special: { readonly [Of in JobOptionName]?: z.ZodType } =
    place === 'previous' ? previousSchemas : requestSchemas
  const own = special[name] ?? (place === 'edit' || place === 'previous' ? edit : schema)
  const description = texts[place]
  // A reference to a schema with this description does not repeat it.
  if (own.meta()?.description === description) return own.optional()
  return own.optional().meta({ ...(place !== 'previous' && requestMeta[name]), description })
}

const decoders: { readonly [Name in JobOptionName]?: (value: never) => unknown } = {
  retryPolicy: (policy: unknown) => decodeRetryPolicy(policy) ?? undefined,
  unique: decodeUnique,
}

const decoded = (Object.keys(jobOptions) as JobOptionName[]).map((name) => ({
  name,
  member: toSnakeCase(name),
  decode: decoders[name],
}))

/** Decodes the options among the members of a request to the names of the library. */
export function decodeMembers<Place extends JobOptionPlace>(
  body: { readonly [Member in keyof OptionMembers<Place>]?: z.output<OptionMembers<Place>[Member]> },
): OptionsIn<Place> {
  const options: Record<string, unknown> = {}
  for (const { name, member, decode } of decoded) {
    const value = (body as Readonly<Record<string, unknown>>)[member]
    if (value !== undefined) options[name] = decode === undefined ? value : decode(value as never)
  }
  return options as OptionsIn<Place>
}
