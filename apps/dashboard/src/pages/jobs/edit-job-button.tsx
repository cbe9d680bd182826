import { type ReactNode, Suspense, lazy, useState } from 'react'
import { Button } from '../../ui/controls.tsx'

const EditJobSheet = lazy(() => import('./edit-job.tsx').then((loaded) => ({ default: loaded.EditJobSheet })))

interface EditJobButtonProps {
  readonly id: string
  readonly children: ReactNode
}

/** Opens the edit form of a waiting job, which is loaded on demand. */
export function EditJobButton({ id, children }: EditJobButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{children}</Button>
      {isOpen && (
        <Suspense>
          <EditJobSheet id={id} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
