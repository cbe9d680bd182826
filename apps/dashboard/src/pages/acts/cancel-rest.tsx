import type { Operation } from '@queue/client'
import { useActs } from '../../acts/acts.tsx'
import { cancelOperationAct } from '../../acts/operation-acts.ts'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'

/** Cancels a running operation after a confirmation. Hidden if it is not running, or without `jobs:control`. */
export function CancelRest({ operation }: { readonly operation: Operation }) {
  const may = useMay()
  const { confirm } = useActs()
  if (operation.state !== 'running' || !may('jobs:control')) return null
  return (
    <Button look="danger" data-key="c" onClick={() => confirm(cancelOperationAct(operation))}>
      Cancel the rest
    </Button>
  )
}
