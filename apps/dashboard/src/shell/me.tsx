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

/** Of somebody with several tenants each page shows one. The browser keeps which. */
function ChooseTenant({ tenants }: { readonly tenants: readonly string[] }) {
  const queryClient = useQueryClient()
  const choose = (tenant: string): void => {
    tenantSetting.set(tenant)
    void queryClient.resetQueries()
  }
  return (
    <main className={styles['signIn']}>
      <form>
        <h1>Which tenant?</h1>
        <p>You may see several. The pages show one of them at a time.</p>
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

/** Who looks at the page. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error('nobody is known yet')
  return me
}

/** Whether who looks may do something: what would be refused is not offered. */
export function useMay(): (permission: Permission) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission)
}

interface NeedsProps {
  readonly permission: Permission
  readonly children: ReactNode
}

/** Content for those who may see it, and what is missing for the others. */
export function Needs({ permission, children }: NeedsProps) {
  if (useMay()(permission)) return children
  return (
    <Page title="Not for this key">
      <NotPermitted permission={permission} />
    </Page>
  )
}
