import type { Key } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Act } from '../../acts/act.ts'
import { useActs } from '../../acts/acts.tsx'
import { client } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { Needs, useMay, useMe } from '../../shell/me.tsx'
import { Button, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'

export function Keys(): ReactElement {
  return (
    <Needs permission="keys:read">
      <KeysPage />
    </Needs>
  )
}

function KeysPage() {
  const query = useQuery(queries.keys)
  return (
    <Page title="API keys" subtitle="Newest first">
      <Loaded query={query}>{(keys) => (keys.length === 0 ? <NoKeys /> : <KeyTable keys={keys} />)}</Loaded>
    </Page>
  )
}

function NoKeys() {
  return (
    <Empty title="No API keys yet">
      <code className={ui['snippet']}>queue keys create shop --role operate</code>
    </Empty>
  )
}

function KeyTable({ keys }: { readonly keys: readonly Key[] }) {
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Name</th>
            <th>ID</th>
            <th>Role</th>
            <th>Restricted to</th>
            <th>Last used</th>
            <th>Created</th>
            <th>Expires</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function KeyRow({ apiKey }: { readonly apiKey: Key }) {
  const may = useMay()
  const me = useMe()
  const { confirm } = useActs()
  const { id, name, revoked_at: revokedAt, expires_at: expiresAt, last_used_at: usedAt } = apiKey
  const bounds = [
    ...(apiKey.tenant_id === null ? [] : [`tenant ${apiKey.tenant_id}`]),
    ...(apiKey.queues ?? []).map((queue) => `queue ${queue}`),
    ...(apiKey.kinds ?? []).map((kind) => `kind ${kind}`),
  ]
  return (
    <tr data-row>
      <td className={ui['strong']}>
        {name} {me.key_id === id && <span className={ui['muted']}>(your key)</span>}
      </td>
      <td className={ui['mono']}>{id}</td>
      <td>{[apiKey.role, ...apiKey.permissions].join(', ')}</td>
      <td className={ui['muted']}>{bounds.join(', ')}</td>
      <td data-label="used">{usedAt === null ? 'Never' : <Time at={usedAt} />}</td>
      <td data-label="created">
        <Time at={apiKey.created_at} />
      </td>
      <td>
        {revokedAt !== null && (
          <span className={ui['faultText']}>
            Revoked <Time at={revokedAt} />
          </span>
        )}
        {revokedAt === null && expiresAt !== null && <Time at={expiresAt} />}
      </td>
      <td className={ui['act']}>
        {revokedAt === null && may('keys:revoke') && (
          <Button look="danger" onClick={() => confirm(revokeAct(apiKey, me.key_id === id))}>
            Revoke<span className="visually-hidden"> {name}</span>
          </Button>
        )}
      </td>
    </tr>
  )
}

function revokeAct({ id, name, role }: Key, isOwn: boolean): Act {
  return {
    title: `Revoke API key ${name}?`,
    effect: `All API processes refuse the key within a second. This cannot be undone.${isOwn ? ' You are signed in with this key and will be signed out.' : ''}`,
    sample: [`${id}, role ${role}`],
    confirm: 'Revoke key',
    dismiss: 'Keep key',
    dangerous: true,
    code: { method: 'DELETE', path: `/keys/${id}`, typescript: `await client.revokeKey('${id}')` },
    doing: `Revoking API key ${name}`,
    run: async () => {
      await client.revokeKey(id)
      return { text: `API key ${name} revoked.` }
    },
  }
}
