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
import { refusalOf } from '../api/errors.ts'
import { layOver, showsAny } from '../api/expected.ts'
import { ActSheet } from './act-sheet.tsx'
import type { Act, Done, Mutation } from './act.ts'
import type { ManyAct } from './many-acts.ts'
import { type Toast, Toasts } from './toasts.tsx'

interface Acts {
  /** Asks first. */
  readonly confirm: (act: Act) => void
  /** Counts first, and asks then: what can be done with many. */
  readonly confirmMany: (acts: readonly ManyAct[]) => void
  /** Does at once what can be undone. Resolves when what it has changed was read again. */
  readonly perform: (mutation: Mutation) => Promise<void>
  /** Says what came of an act that a form has carried out. */
  readonly tell: (done: Done) => Promise<void>
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
  const show = useCallback(
    (done: Done): void => {
      lastId += 1
      const toast: Toast = { id: lastId, ...done }
      setToasts((all) => [...all.slice(-2), toast])
      // What was refused stays until somebody has read it.
      if (done.failed !== true) setTimeout(() => drop(toast.id), toastMs)
    },
    [drop],
  )
  const tell = useCallback(
    async (done: Done): Promise<void> => {
      show(done)
      await queryClient.invalidateQueries()
    },
    [queryClient, show],
  )
  const perform = useCallback(
    async ({ doing, expects = [], run }: Mutation): Promise<void> => {
      const overlay = layOver(expects)
      await overlay.turn
      const attempt = async (): Promise<Done> => run()
      const done = await attempt().catch((error: unknown) => ({
        text: refusalOf(doing, error),
        failed: true,
      }))
      if (done.failed === true) overlay.revert()
      else overlay.confirm()
      show(done)
      const isShown = showsAny(expects)
      const others = queryClient.invalidateQueries({ predicate: (query) => !isShown(query) })
      await queryClient.invalidateQueries({ predicate: isShown })
      // Pages are told of what was read in a task to come, which this follows.
      notifyManager.schedule(overlay.end)
      await others
    },
    [queryClient, show],
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
      tell,
      undo: () => {
        const latest = toasts.findLast(({ undo }) => undo !== undefined)
        if (latest !== undefined) takeBack(latest)
      },
    }),
    [perform, takeBack, tell, toasts],
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
