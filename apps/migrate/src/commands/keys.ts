import { createKey, listKeys, mintKey, revokeKey, rotateKey } from '@queue/admin'
import type { KeyInfo } from '@queue/core'
import { formatRate } from '@queue/core/internal'
import type { KeysTask } from '../parse-keys-arguments.ts'
import type { CommandContext } from './command-context.ts'

export interface KeysTarget {
  readonly connectionString: string
  readonly schema: string
}

/** Creates, lists, rotates or revokes API keys. A new key is printed once and cannot be shown again. */
export async function keys(
  { format, retry, print }: CommandContext,
  { task, target }: { readonly task: KeysTask; readonly target: KeysTarget },
): Promise<void> {
  const printResult = (text: string, json: object): void =>
    print(format === 'json' ? JSON.stringify(json) : text)
  switch (task.act) {
    case 'list': {
      const all = await retry(() => listKeys(target))
      return printResult(all.map(lineOf).join('\n') || 'there are no keys', { keys: all.map(toJson) })
    }
    case 'revoke':
      await retry(() => revokeKey(target, task.id))
      return printResult(`key ${task.id} is revoked: every API process refuses it within a second`, {
        revoked: task.id,
      })
    case 'create': {
      // The key is generated before the first try, so that a retry after a lost answer does not create a second one.
      const key = mintKey()
      const { act: _act, keyName: name, ...request } = task
      await retry(() => createKey(target, key, { name, ...request }))
      return printResult(key.text, { id: key.id, key: key.text })
    }
    case 'rotate': {
      const key = mintKey()
      await retry(() => rotateKey(target, key, { replaces: task.id, overlapMs: task.overlapMs }))
      return printResult(key.text, { id: key.id, key: key.text, replaces: task.id })
    }
  }
}

function stateOf({ revokedAt, expiresAt }: KeyInfo): string {
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`
  return expiresAt === null ? 'does not expire' : `expires ${expiresAt.toISOString()}`
}

function lineOf(key: KeyInfo): string {
  const used = key.lastUsedAt === null ? 'never used' : `last used ${key.lastUsedAt.toISOString()}`
  const rate = key.rate === null ? [] : [`rate ${formatRate(key.rate)}`]
  const access = [key.role, ...key.permissions, ...boundsOf(key)]
  return [key.id, ...access, JSON.stringify(key.name), ...rate, stateOf(key), used].join('  ')
}

function boundsOf({ tenantId, queues, kinds }: KeyInfo): string[] {
  return [
    ...(tenantId === null ? [] : [`tenant ${JSON.stringify(tenantId)}`]),
    ...(queues === null ? [] : [`queues ${queues.join(',')}`]),
    ...(kinds === null ? [] : [`kinds ${kinds.join(',')}`]),
  ]
}

function toJson(key: KeyInfo): object {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    permissions: key.permissions,
    rate: key.rate && { count: key.rate.count, per_seconds: key.rate.perSeconds, burst: key.rate.burst },
    tenant_id: key.tenantId,
    queues: key.queues,
    kinds: key.kinds,
    replaces: key.replaces,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
