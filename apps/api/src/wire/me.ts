import { permissions } from '@queue/core/access'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { everybody, type Principal } from '../http/principal.ts'
import { encodeRate, rateSchema } from './key.ts'

/** Whoever calls by HTTP is of one of these: a role of the database is not. */
const callerTypes = z.enum(['key', 'subject', 'token', 'anyone'])

/** Who asks, and what they may do. */
export const meSchema = z
  .object({
    type: callerTypes.meta({
      description:
        'key: an API key. subject: whom a token of the issuer names. token: whoever has API_TOKEN. anyone: a caller of an API ' +
        'that asks for no credentials.',
    }),
    key_id: z.string().nullable().meta({ description: 'The part of the key that is not secret.' }),
    name: z.string().nullable().meta({ description: 'What the key or the subject is called.' }),
    permissions: z.array(z.enum(permissions)).meta({ description: 'All that the caller may do.' }),
    tenant_id: jobFields.tenantId.nullable().meta({ description: 'The tenant that the caller is bound to.' }),
    queues: z.array(jobFields.queue).nullable().meta({ description: 'The queues that it is bound to.' }),
    kinds: z.array(jobFields.kind).nullable().meta({ description: 'The kinds of job that it is bound to.' }),
    rate: rateSchema.nullable().meta({ description: 'null: no limit.' }),
  })
  .meta({ id: 'Me', description: 'Who asks, and what they may do.' })

export type WireMe = z.output<typeof meSchema>

export function encodeMe(principal: Principal): WireMe {
  const { scope, who, rate } = principal
  return {
    type: callerTypes.parse(who.type),
    key_id: who.type === 'key' ? who.id : null,
    name: who.name ?? null,
    permissions: permissions.filter((one) => principal.permissions.has(one)),
    tenant_id: scope?.tenantId ?? null,
    queues: scope?.queues === undefined ? null : [...scope.queues],
    kinds: scope?.kinds === undefined ? null : [...scope.kinds],
    rate: rate === undefined ? null : encodeRate(rate),
  }
}

/** As the documentation shows it. */
export const meExample: WireMe = encodeMe(everybody)
