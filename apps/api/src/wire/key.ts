import type { KeyInfo, Rate } from '@queue/core'
import { keyRoles, permissions } from '@queue/core/access'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

export const rateSchema = z
  .object({
    count: z.int().min(1).meta({ description: 'So many requests …' }),
    per_seconds: z
      .int()
      .min(1)
      .meta({ description: '… in so many seconds, over all processes of the API, …' }),
    burst: z.int().min(1).meta({ description: '… and so many at once, after a pause.' }),
  })
  .meta({ id: 'Rate', description: 'How many requests may be sent with a key.' })

/** A key as the API shows it: nothing of its secret. */
export const keySchema = z
  .object({
    id: z.string().meta({ description: 'The part of the key that is not secret.' }),
    name: z.string().meta({ description: 'The name that it was made with: whose it is.' }),
    role: z.enum(keyRoles).meta({ description: 'The bundle of permissions that it has.' }),
    permissions: z
      .array(z.enum(permissions))
      .meta({ description: 'Its permissions beyond those of its role.' }),
    rate: rateSchema.nullable().meta({ description: 'null: the rate that the API gives to every key.' }),
    tenant_id: jobFields.tenantId
      .nullable()
      .meta({ description: 'The tenant that it is bound to; null: it is bound to none, and sees all.' }),
    queues: z.array(jobFields.queue).nullable().meta({ description: 'The queues that it is bound to.' }),
    kinds: z.array(jobFields.kind).nullable().meta({ description: 'The kinds of job that it is bound to.' }),
    replaces: z.string().nullable().meta({ description: 'The key that it was made to replace.' }),
    created_at: instantOutput,
    expires_at: instantOutput.nullable().meta({ description: 'When it expires; null: never.' }),
    last_used_at: instantOutput.nullable().meta({ description: 'When it was last used, to the hour.' }),
    revoked_at: instantOutput.nullable(),
  })
  .meta({ id: 'Key', description: 'A key of the API.' })

export type WireKey = z.output<typeof keySchema>

export function encodeRate({ count, perSeconds, burst }: Rate): z.output<typeof rateSchema> {
  return { count, per_seconds: perSeconds, burst }
}

/** A key in the names and types of the wire. */
export function encodeKey(key: KeyInfo): WireKey {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    permissions: [...key.permissions],
    rate: key.rate === null ? null : encodeRate(key.rate),
    tenant_id: key.tenantId,
    queues: key.queues === null ? null : [...key.queues],
    kinds: key.kinds === null ? null : [...key.kinds],
    replaces: key.replaces,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}

/** A key as the documentation shows one. */
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
