import type { KeyInfo, Rate } from '@queue/core'
import { instantOutput, jobFields, keyRoles, permissions } from '@queue/core/internal'
import { z } from 'zod'
import { encoderOf } from '../../wire/encode-members.ts'

export const rateSchema = z
  .object({
    count: z
      .int()
      .min(1)
      .meta({ description: 'Number of requests allowed in per_seconds, over all API processes.' }),
    per_seconds: z.int().min(1).meta({ description: 'Length of the time window in seconds.' }),
    burst: z.int().min(1).meta({ description: 'Number of requests that can be sent at once after a pause.' }),
  })
  .meta({ id: 'Rate', description: 'The rate limit of an API key: a token bucket.' })

/** An API key as the API shows it, without its secret. */
export const keySchema = z
  .object({
    id: z.string().meta({ description: 'Public id of the key.' }),
    name: z.string().meta({ description: 'Name of the key, such as its owner.' }),
    role: z.enum(keyRoles).meta({ description: 'Role of the key: a set of permissions.' }),
    permissions: z
      .array(z.enum(permissions))
      .meta({ description: 'Permissions in addition to those of the role.' }),
    rate: rateSchema.nullable().meta({ description: 'Rate limit of the key. Null uses API_KEY_RATE.' }),
    tenant_id: jobFields.tenantId.nullable().meta({
      description: 'Tenant that the key is restricted to. Null if it is not restricted to a tenant.',
    }),
    queues: z
      .array(jobFields.queue)
      .nullable()
      .meta({ description: 'Queues that the key is restricted to. Null means all queues.' }),
    kinds: z
      .array(jobFields.kind)
      .nullable()
      .meta({ description: 'Kinds that the key is restricted to. Null means all kinds.' }),
    replaces: z
      .string()
      .nullable()
      .meta({ description: 'Id of the key that this key was created to replace.' }),
    created_at: instantOutput.meta({ description: 'Time when the key was created.' }),
    expires_at: instantOutput
      .nullable()
      .meta({ description: 'Time when the key expires. Null if it does not expire.' }),
    last_used_at: instantOutput
      .nullable()
      .meta({ description: 'Hour of the last use. Null if the key was never used.' }),
    revoked_at: instantOutput
      .nullable()
      .meta({ description: 'Time when the key was revoked. Null if it was not.' }),
  })
  .meta({ id: 'Key', description: 'An API key.' })

export type WireKey = z.output<typeof keySchema>

export function encodeRate({ count, perSeconds, burst }: Rate): z.output<typeof rateSchema> {
  return { count, per_seconds: perSeconds, burst }
}

const encode = encoderOf(keySchema.shape)

/** Encodes a key for the wire. */
export function encodeKey(key: KeyInfo): WireKey {
  return encode({ ...key, rate: key.rate === null ? null : encodeRate(key.rate) })
}

/** The example of the documentation. */
export const keyExample: WireKey = {
  id: 'k3x9d0aq',
  name: 'shop',
  role: 'enqueue',
  permissions: [],
  rate: { count: 600, per_seconds: 60, burst: 100 },
  tenant_id: null,
  queues: null,
  kinds: null,
  replaces: null,
  created_at: '2026-01-15T09:30:00.000Z',
  expires_at: null,
  last_used_at: '2026-01-15T10:00:00.000Z',
  revoked_at: null,
}
