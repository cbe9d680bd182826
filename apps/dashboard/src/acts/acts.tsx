import { useQueryClient } from '@tanstack/react-query'
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
import { failureOf } from '../api/errors.ts'
import { ActSheet } from './act-sheet.tsx'
import type { Act, Done } from './act.ts'
import type { ManyAct } from './many-acts.ts'
import { type Toast, Toasts } from './toasts.tsx'

interface Acts {
  /** Asks first. */
  readonly confirm: (act: Act) => void
  /** Counts first, and asks then: what can be done with many. */
  readonly confirmMany: (acts: readonly ManyAct[]) => void
  /** Does at once what can be undone. */
  readonly perform: (run: Act['run']) => Promise<void>
  /** Takes back the latest act that can be. */
  readonly undo: () => void
}

const ActsContext = createContext<Acts | undefined>(undefined)

export function useActs(): Acts {
  const acts = useContext(ActsContext)
  if (acts === undefined) throw new Error('there is no provider of acts')
  return acts
}

/** Few need it, and none at first. */
const ManySheet = lazy(() => import('./many-sheet.tsx').then((loaded) => ({ default: loaded.ManySheet })))

const toastMs = 10_000
let lastId = 0

export function ActsProvider({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient()
  const [act, setAct] = useState<Act>()
  const [many, setMany] = useState<readonly ManyAct[]>()
  const [toasts, setToasts] = useState<readonly Toast[]>([])

  const drop = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), [])
  const perform = useCallback(
    async (run: Act['run']): Promise<void> => {
      const attempt = async (): Promise<Done> => run()
      const done = await attempt().catch((error: unknown) => ({
        text: failureOf(error).text,
        failed: true,
      }))
      lastId += 1
      const toast: Toast = { id: lastId, ...done }
      setToasts((all) => [...all.slice(-2), toast])
      setTimeout(() => drop(toast.id), toastMs)
      await queryClient.invalidateQueries()
    },
    [drop, queryClient],
  )
  const takeBack = useCallback(
    (toast: Toast) => {
      drop(toast.id)
      if (toast.undo !== undefined) void perform(toast.undo)
    },
    [drop, perform],
  )
  const acts = useMemo<Acts>(
    () => ({
      confirm: setAct,
      confirmMany: setMany,
      perform,
      undo: () => {
        const latest = toasts.findLast(({ undo }) => undo !== undefined)
        if (latest !== undefined) takeBack(latest)
      },
    }),
    [perform, takeBack, toasts],
  )
  return (
    <ActsContext value={acts}>
      {children}
      {act !== undefined && <ActSheet act={act} perform={perform} close={() => setAct(undefined)} />}
      {many !== undefined && (
        <Suspense>
          <ManySheet acts={many} perform={perform} close={() => setMany(undefined)} />
        </Suspense>
      )}
      <Toasts toasts={toasts} undo={takeBack} drop={drop} />
    </ActsContext>
  )
}
