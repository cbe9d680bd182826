import { notifyManager, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useMemo,
  useState,
} from 'react'
import { failureText } from '../api/errors.ts'
import { addOverlay, showsAny } from '../api/expected.ts'
import { ActSheet } from './act-sheet.tsx'
import type { Act, Done, Mutation } from './act.ts'
import type { ManyAct } from './many-acts.ts'
import { useMe } from '../shell/me.tsx'
import { type Toast, Toasts } from './toasts.tsx'

interface Acts {
  /** Opens the confirmation dialog of an action. */
  readonly confirm: (act: Act) => void
  /** Opens the dialog of a bulk action, which begins with a dry run. */
  readonly confirmMany: (acts: readonly ManyAct[]) => void
  /** Runs an action at once. Resolves when the changed data was fetched again. */
  readonly perform: (mutation: Mutation) => Promise<void>
  /** Shows the result of an action that a form has run. */
  readonly report: (done: Done) => Promise<void>
  /** Undoes the latest action that can be undone. */
  readonly undo: () => void
}

const ActsContext = createContext<Acts | undefined>(undefined)

export function useActs(): Acts {
  const acts = useContext(ActsContext)
  if (acts === undefined) throw new Error('useActs needs an ActsProvider')
  return acts
}

/** Loaded on demand, because it is rarely opened. */
const ManySheet = lazy(() => import('./many-sheet.tsx').then((loaded) => ({ default: loaded.ManySheet })))

const toastMs = 10_000
let lastId = 0

export function ActsProvider({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient()
  const { permissions } = useMe()
  const [act, setAct] = useState<Act>()
  const [bulkActs, setBulkActs] = useState<readonly ManyAct[]>()
  const [toasts, setToasts] = useState<readonly Toast[]>([])

  const drop = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), [])
  const show = useCallback(
    (done: Done): void => {
      lastId += 1
      const { undo, ...shown } = done
      const mayUndo = undo?.permission === undefined || permissions.includes(undo.permission)
      const toast: Toast = { id: lastId, ...shown, ...(undo !== undefined && mayUndo && { undo }) }
      setToasts((all) => [...all.slice(-2), toast])
      // An error stays until the user dismisses it.
      if (done.failed !== true) setTimeout(() => drop(toast.id), toastMs)
    },
    [drop, permissions],
  )
  const report = useCallback(
    async (done: Done): Promise<void> => {
      show(done)
      await queryClient.invalidateQueries()
    },
    [queryClient, show],
  )
  const perform = useCallback(
    async ({ doing, expects = [], run }: Mutation): Promise<void> => {
      const overlay = addOverlay(expects)
      await overlay.turn
      const attempt = async (): Promise<Done> => run()
      const done = await attempt().catch((error: unknown) => ({
        text: failureText(doing, error),
        failed: true,
      }))
      if (done.failed === true) overlay.revert()
      else overlay.confirm()
      show(done)
      const isShown = showsAny(expects)
      const others = queryClient.invalidateQueries({ predicate: (query) => !isShown(query) })
      await queryClient.invalidateQueries({ predicate: isShown })
      // The overlay ends after the components have been notified of the fetched data, which happens in a scheduled task.
      notifyManager.schedule(overlay.end)
      await others
    },
    [queryClient, show],
  )
  const undoToast = useCallback(
    (toast: Toast) => {
      drop(toast.id)
      if (toast.undo !== undefined) void perform(toast.undo)
    },
    [drop, perform],
  )
  const acts = useMemo<Acts>(
    () => ({
      confirm: setAct,
      confirmMany: setBulkActs,
      perform,
      report,
      undo: () => {
        const latest = toasts.findLast(({ undo }) => undo !== undefined)
        if (latest !== undefined) undoToast(latest)
      },
    }),
    [perform, undoToast, report, toasts],
  )
  return (
    <ActsContext value={acts}>
      {children}
      {act !== undefined && <ActSheet act={act} perform={perform} close={() => setAct(undefined)} />}
      {bulkActs !== undefined && (
        <Suspense>
          <ManySheet acts={bulkActs} perform={perform} close={() => setBulkActs(undefined)} />
        </Suspense>
      )}
      <Toasts toasts={toasts} undo={undoToast} drop={drop} />
    </ActsContext>
  )
}
