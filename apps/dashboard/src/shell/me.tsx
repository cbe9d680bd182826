import { useQuery } from '@tanstack/react-query'
import type { Me } from '@queue/client'
import { createContext, type ReactNode, useContext } from 'react'
import { queries } from '../api/queries.ts'
import { Page } from '../ui/controls.tsx'
import { Loaded, NotPermitted } from '../ui/feedback.tsx'

export type Permission = Me['permissions'][number]

const MeContext = createContext<Me | undefined>(undefined)

export function MeProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Loaded query={useQuery(queries.me)} rows={12}>
      {(me) => <MeContext value={me}>{children}</MeContext>}
    </Loaded>
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
