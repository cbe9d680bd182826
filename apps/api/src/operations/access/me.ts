import { jobFields, permissions } from '@queue/core/internal'
import { z } from 'zod'
import { type Principal, anonymous } from '../../http/principal.ts'
import { encodeRate, rateSchema } from './key.ts'

/** Actors that can call the HTTP API. Database roles cannot. */
const callerTypes = z.enum(['key', 'subject', 'token', 'anyone'])

/** The caller, with its permissions and scope. */
export const meSchema = z
  .object({
    type: callerTypes.meta({
      description:
        '`key`: an API key. `subject`: the subject of an OpenID Connect token. `token`: the holder of API_TOKEN. ' +
        '`anyone`: a caller of an API without authentication.',
    }),
    key_id: z
      .string()
      .nullable()
      .meta({ description: 'Public id of the API key. Null if the caller is not an API key.' }),
    name: z.string().nullable().meta({ description: 'Name of the key or the subject.' }),
    permissions: z.array(z.enum(permissions)).meta({ description: 'All permissions of the caller.' }),
    tenant_id: jobFields.tenantId
      .nullable()
      .meta({ description: 'Tenant that the caller is restricted to. Null if there is none.' }),
    queues: z
      .array(jobFields.queue)
      .nullable()
      .meta({ description: 'Queues that the caller is restricted to. Null means all queues.' }),
    kinds: z
      .array(jobFields.kind)
      .nullable()
      .meta({ description: 'Kinds that the caller is restricted to. Null means all kinds.' }),
    rate: rateSchema.nullable().meta({ description: 'Rate limit of the caller. Null if there is none.' }),
  })
  .meta({ id: 'Me', description: 'The caller, with its permissions and scope.' })

export type WireMe = z.output<typeof meSchema>

export function encodeMe(principal: Principal): WireMe {
  const { scope, who, rate } = principal
  return {
    type: callerTypes.parse(who.type),
    key_id: who.type === 'key' ? who.id : null,
    name: who.name ?? null,
    permissions: permissions.filter((permission) => principal.permissions.has(permission)),
    tenant_id: scope?.tenantId ?? null,
    queues: scope?.queues === undefined ? null : [...scope.queues],
    kinds: scope?.kinds === undefined ? null : [...scope.kinds],
    rate: rate === undefined ? null : encodeRate(rate),
  }
}

/** The example of the documentation. */
export const meExample: WireMe = encodeMe(anonymous)
