import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Me } from '@queue/client'
import { createContext, type ReactNode, useContext } from 'react'
import { tenantsOf } from '../api/errors.ts'
import { queries } from '../api/queries.ts'
import { Button, Page } from '../ui/controls.tsx'
import { Loaded, NotPermitted } from '../ui/feedback.tsx'
import { tenantSetting } from './live.ts'
import styles from './shell.module.css'

export type Permission = Me['permissions'][number]

const MeContext = createContext<Me | undefined>(undefined)

export function MeProvider({ children }: { readonly children: ReactNode }) {
  const query = useQuery(queries.me)
  const tenants = tenantsOf(query.error)
  if (tenants !== undefined) return <ChooseTenant tenants={tenants} />
  return (
    <Loaded query={{ ...query, error: query.data === undefined ? query.error : null }} rows={12}>
      {(me) => <MeContext value={me}>{children}</MeContext>}
    </Loaded>
  )
}

/** Lets a user with several tenants select one, which the browser remembers. */
function ChooseTenant({ tenants }: { readonly tenants: readonly string[] }) {
  const queryClient = useQueryClient()
  const choose = (tenant: string): void => {
    tenantSetting.set(tenant)
    void queryClient.resetQueries()
  }
  return (
    <main className={styles['signIn']}>
      <form>
        <h1>Select a tenant</h1>
        <p>You have access to several tenants. The dashboard shows one at a time.</p>
        <div className={styles['choices']}>
          {tenants.map((tenant) => (
            <Button key={tenant} onClick={() => choose(tenant)}>
              {tenant}
            </Button>
          ))}
        </div>
      </form>
    </main>
  )
}

/** The signed-in caller. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error('useMe needs a MeProvider')
  return me
}

/** Checks permissions of the caller. The dashboard does not offer actions that the API would refuse. */
export function useMay(): (permission: Permission) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission)
}

interface NeedsProps {
  readonly permission: Permission
  readonly children: ReactNode
}

/** Shows its content if the caller has the permission, and otherwise which permission is missing. */
export function Needs({ permission, children }: NeedsProps) {
  if (useMay()(permission)) return children
  return (
    <Page title="No access">
      <NotPermitted permission={permission} />
    </Page>
  )
}
